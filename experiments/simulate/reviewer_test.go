package simulate

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plumbline/experiments/trace"
	"plumbline/experiments/vote"
)

var (
	classes = []vote.Vote{vote.Accept, vote.Reject, vote.Uncertain, vote.Unparseable}
	labels  = []trace.Label{trace.Acceptable, trace.Defective, trace.Unknown}
)

func testReviewer(rho float64) Reviewer {
	return Reviewer{
		Name:        "test",
		Correlation: rho,
		Confusion: Confusion{
			Acceptable: Rates{Accept: 0.7, Reject: 0.15, Uncertain: 0.1, Unparseable: 0.05},
			Defective:  Rates{Accept: 0.3, Reject: 0.5, Uncertain: 0.2},
			Unknown:    &Rates{Accept: 0.25, Reject: 0.25, Uncertain: 0.25, Unparseable: 0.25},
		},
		Forms: map[string]Confusion{
			"official": {
				Acceptable: Rates{Accept: 1},
				Defective:  Rates{Reject: 0.9, Uncertain: 0.1},
			},
		},
	}
}

func traceName(i int) string { return fmt.Sprintf("trace-%d", i) }

// One vote of each of many traces: traces are independent, so the counts of a
// class are binomial whatever the correlation is. Each index is its own check.
func TestVoteMarginals(t *testing.T) {
	t.Parallel()
	const n = 6000
	for _, rho := range []float64{0, 0.3, 1} {
		for _, form := range []string{"patch", "official"} {
			for _, label := range labels {
				t.Run(fmt.Sprintf("rho=%g/%s/%s", rho, form, label), func(t *testing.T) {
					t.Parallel()
					r := testReviewer(rho)
					row := r.For(form).Row(label)
					for _, index := range []int{0, 4} {
						counts := map[vote.Vote]int{}
						for i := range n {
							counts[r.Vote(11, traceName(i), index, label, form)]++
						}
						for _, c := range classes {
							wantBinomial(t, fmt.Sprintf("vote %d %s", index, c), counts[c], n, row.Of(c))
						}
					}
				})
			}
		}
	}
}

// The number of traces whose votes 0 and 1 are both c is binomial with
// r·p + (1-r)·p², which identifies the correlation r.
func TestVoteCorrelation(t *testing.T) {
	t.Parallel()
	const n = 6000
	for _, rho := range []float64{0, 0.2, 0.5, 0.8, 1} {
		t.Run(fmt.Sprintf("rho=%g", rho), func(t *testing.T) {
			t.Parallel()
			r := testReviewer(rho)
			for _, label := range labels {
				both := map[vote.Vote]int{}
				for i := range n {
					first := r.Vote(5, traceName(i), 0, label, "patch")
					if first == r.Vote(5, traceName(i), 1, label, "patch") {
						both[first]++
					}
				}
				for _, c := range classes {
					p := r.Confusion.Row(label).Of(c)
					wantBinomial(t, fmt.Sprintf("%s, both %s", label, c), both[c], n, rho*p+(1-rho)*p*p)
				}
			}
		})
	}
}

// Reviewers of other names, other seeds and other traces must not share draws.
func TestVoteIndependence(t *testing.T) {
	t.Parallel()
	const n = 6000
	a, b := testReviewer(1), testReviewer(1)
	b.Name = "other"
	p := a.Confusion.Defective.Reject
	tests := []struct {
		name          string
		first, second func(i int) vote.Vote
	}{
		{"reviewer",
			func(i int) vote.Vote { return a.Vote(5, traceName(i), 0, trace.Defective, "patch") },
			func(i int) vote.Vote { return b.Vote(5, traceName(i), 0, trace.Defective, "patch") }},
		{"seed",
			func(i int) vote.Vote { return a.Vote(5, traceName(i), 0, trace.Defective, "patch") },
			func(i int) vote.Vote { return a.Vote(6, traceName(i), 0, trace.Defective, "patch") }},
		{"trace",
			func(i int) vote.Vote { return a.Vote(5, traceName(2*i), 0, trace.Defective, "patch") },
			func(i int) vote.Vote { return a.Vote(5, traceName(2*i+1), 0, trace.Defective, "patch") }},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			both := 0
			for i := range n {
				if tc.first(i) == vote.Reject && tc.second(i) == vote.Reject {
					both++
				}
			}
			wantBinomial(t, "both reject", both, n, p*p)
		})
	}
}

// With correlation 1 the forms are quantiles of one number: going to a form
// that catches more may turn a wrong vote right, never a right vote wrong.
func TestVoteFormsShareTheTrace(t *testing.T) {
	t.Parallel()
	r := testReviewer(1)
	gained := 0
	for i := range 2000 {
		weak := r.Vote(5, traceName(i), 0, trace.Defective, "patch")
		strong := r.Vote(5, traceName(i), 0, trace.Defective, "official")
		if weak == vote.Reject && strong != vote.Reject {
			t.Fatalf("%s: %s under the weak form, %s under the strong one", traceName(i), weak, strong)
		}
		if weak != vote.Reject && strong == vote.Reject {
			gained++
		}
	}
	wantBinomial(t, "gained", gained, 2000, 0.4)
}

func TestVoteDoesNotDependOnOrder(t *testing.T) {
	t.Parallel()
	type call struct {
		trace, index int
		label        trace.Label
		form         string
	}
	var calls []call
	for i := range 60 {
		for index := range 5 {
			for _, form := range []string{"summary", "official"} {
				calls = append(calls, call{i, index, labels[i%3], form})
			}
		}
	}
	r := testReviewer(0.4)
	ask := func(c call) [2]string {
		v, text := r.Reply(9, traceName(c.trace), c.index, c.label, c.form, "+a\n-b\nno more\n")
		return [2]string{string(v), text}
	}
	want := map[call][2]string{}
	for _, c := range calls {
		want[c] = ask(c)
	}

	shuffled := append([]call(nil), calls...)
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(shuffled), func(i, j int) {
		shuffled[i], shuffled[j] = shuffled[j], shuffled[i]
	})
	got := map[call][2]string{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for worker := range 8 {
		wg.Go(func() {
			for i := worker; i < len(shuffled); i += 8 {
				answer := ask(shuffled[i])
				mu.Lock()
				got[shuffled[i]] = answer
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("answers changed with the order of the calls (-serial +parallel):\n%s", diff)
	}
}

// Random valid matrices: they validate, a class of rate 0 never occurs, and a
// class of rate 1 always does.
func TestVoteProperties(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 4))
	randomRates := func() Rates {
		var w [4]float64
		sum := 0.0
		for sum == 0 {
			for i := range w {
				w[i] = 0
				if rng.IntN(2) == 0 {
					w[i] = rng.Float64()
				}
				sum += w[i]
			}
		}
		return Rates{w[0] / sum, w[1] / sum, w[2] / sum, w[3] / sum}
	}
	for round := range 300 {
		unknown := randomRates()
		r := Reviewer{
			Name:        fmt.Sprint("random ", round),
			Correlation: rng.Float64(),
			Confusion:   Confusion{Acceptable: randomRates(), Defective: randomRates(), Unknown: &unknown},
		}
		if err := r.Validate(); err != nil {
			t.Fatalf("valid reviewer refused: %v", err)
		}
		for i := range 40 {
			label := labels[i%3]
			v := r.Vote(rng.Uint64(), traceName(i), i, label, "trace")
			if rate := r.Confusion.Row(label).Of(v); rate == 0 {
				t.Fatalf("round %d: %s on a trace labelled %s has rate 0", round, v, label)
			}
		}
	}
}

func TestUnknownLabelsAbstainByDefault(t *testing.T) {
	t.Parallel()
	r := testReviewer(0.5)
	for _, label := range []trace.Label{trace.Unknown, "", "banana"} {
		if got := r.Vote(1, "t", 0, label, "official"); got != vote.Uncertain {
			t.Errorf("label %q: vote %q, want %q", label, got, vote.Uncertain)
		}
	}
}

func TestReviewerValidate(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		edit func(*Reviewer)
		want string // empty: valid
	}{
		{"valid", func(*Reviewer) {}, ""},
		{"decimal rounding", func(r *Reviewer) {
			r.Confusion.Defective = Rates{Accept: 0.1, Reject: 0.2, Uncertain: 0.7}
		}, ""},
		{"no name", func(r *Reviewer) { r.Name = "" }, "simulated reviewer without a name"},
		{"correlation above 1", func(r *Reviewer) { r.Correlation = 1.5 },
			`simulated reviewer "test": correlation is 1.5, want a probability in [0,1]`},
		{"row sums to 0.9", func(r *Reviewer) { r.Confusion.Acceptable.Accept = 0.6 },
			`simulated reviewer "test": rates for acceptable traces: accept, reject, uncertain and unparseable sum to 0.9, want 1`},
		{"negative rate", func(r *Reviewer) { r.Confusion.Defective = Rates{Accept: 1.1, Reject: -0.1} },
			`simulated reviewer "test": rates for defective traces: accept is 1.1, want a probability in [0,1]`},
		{"empty unknown row", func(r *Reviewer) { r.Confusion.Unknown = &Rates{} },
			`simulated reviewer "test": rates for unknown traces: accept, reject, uncertain and unparseable sum to 0, want 1`},
		{"form override", func(r *Reviewer) { r.Forms["official"] = Confusion{Acceptable: Rates{Accept: 1}} },
			`simulated reviewer "test": evidence form "official": rates for defective traces: accept, reject, uncertain and unparseable sum to 0, want 1`},
		{"unnamed form", func(r *Reviewer) { r.Forms[""] = r.Confusion },
			`simulated reviewer "test": override for an evidence form without a name`},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r := testReviewer(0.5)
			tc.edit(&r)
			got := ""
			if err := r.Validate(); err != nil {
				got = err.Error()
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
		})
	}
}

func TestValidateRefusesNaN(t *testing.T) {
	t.Parallel()
	r := testReviewer(0.5)
	zero := 0.0
	r.Correlation = zero / zero
	if err := r.Validate(); err == nil || !strings.Contains(err.Error(), "correlation is NaN") {
		t.Errorf("got %v, want an error about a NaN correlation", err)
	}
}
