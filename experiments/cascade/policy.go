package cascade

import (
	"fmt"
	"strings"

	"plumbline/experiments/vote"
)

// Policy says which checks run and what their outcomes decide. It is plain data:
// it is stored with an experiment and fixed by a freeze.
type Policy struct {
	Name     string       `json:"name"`
	NoChange bool         `json:"no_change"` // reject a patch that changes no code
	Static   StaticRule   `json:"static,omitempty"`
	Tests    TestRule     `json:"tests"`
	Residual ResidualRule `json:"residual"`
}

// StaticRule says which static findings reject.
type StaticRule string

// The rules. Only Decisive keeps to paper G's rule (ii); the other two are there
// to be measured against it.
const (
	StaticOff  StaticRule = ""
	Decisive   StaticRule = "decisive"   // caused by the patch and of a decisive class
	AnyCaused  StaticRule = "any-caused" // caused by the patch, whatever the class
	Unfiltered StaticRule = "unfiltered" // decisive, on the patched tree, also when the base has it too
)

// Then is what an outcome of a generated test leads to.
type Then string

// What may follow. Go on means that the outcome is evidence for the reviewer.
const (
	GoOn       Then = "go-on"
	ThenAccept Then = "accept"
	ThenReject Then = "reject"
)

// TestRule is stage 2. Zero attempts leave the stage out.
type TestRule struct {
	Attempts int  `json:"attempts"` // of generating a test; paper G: at most 3
	OnPass   Then `json:"on_pass,omitempty"`
	OnFail   Then `json:"on_fail,omitempty"`
	// OnBroken: the test ran to its assertions on the base and does not load on the
	// patched tree, so the patch broke what it stands on.
	OnBroken Then `json:"on_broken,omitempty"`
}

// ResidualRule is stage 3. Zero votes leave it out: what is undecided then is
// uncertain.
type ResidualRule struct {
	Arm   string    `json:"arm,omitempty"` // whose votes, by the name that a Record uses
	Votes int       `json:"votes"`
	Rule  vote.Rule `json:"rule,omitempty"` // default plurality
}

// Evaluated is the frozen rule of paper G §6: a test that fails on the base and
// passes on the patch accepts. The paper warns that one passing test is weak
// evidence; use Recommended for decisions that matter.
func Evaluated(arm string) Policy {
	return Policy{
		Name: "evaluated", NoChange: true, Static: Decisive,
		Tests:    TestRule{Attempts: 3, OnPass: ThenAccept, OnFail: ThenReject, OnBroken: ThenReject},
		Residual: ResidualRule{Arm: arm, Votes: 5, Rule: vote.Plurality},
	}
}

// Recommended is Evaluated with a pass that goes on to the reviewer as evidence
// (paper G §6.2, S4.1: a patch-caused failure can support rejection, a pass should
// not be treated as proof of correctness).
func Recommended(arm string) Policy {
	p := Evaluated(arm)
	p.Name, p.Tests.OnPass = "recommended", GoOn
	return p
}

// RulesOnly is the baseline of mechanical rules: stages 0 and 1, else uncertain.
func RulesOnly() Policy { return Policy{Name: "rules only", NoChange: true, Static: Decisive} }

// TestsOnly is the baseline of generated tests alone, else uncertain.
func TestsOnly() Policy {
	return Policy{Name: "tests only", Tests: TestRule{Attempts: 3, OnPass: ThenAccept, OnFail: ThenReject, OnBroken: ThenReject}}
}

// ReviewOnly is the baseline of a reviewer without checks: five votes of an arm.
func ReviewOnly(name, arm string) Policy {
	return Policy{Name: name, Residual: ResidualRule{Arm: arm, Votes: 5, Rule: vote.Plurality}}
}

// Limits of a policy.
const (
	MaxAttempts = 3
	MaxVotes    = 99
)

// Validate lists what is wrong with p, an empty list when nothing is.
func (p Policy) Validate() []string {
	var out []string
	bad := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if strings.TrimSpace(p.Name) == "" {
		bad("give the policy a name")
	}
	switch p.Static {
	case StaticOff, Decisive, AnyCaused, Unfiltered:
	default:
		bad("there is no static rule %q", p.Static)
	}
	if p.Tests.Attempts < 0 || p.Tests.Attempts > MaxAttempts {
		bad("a test is generated in 0 to %d attempts", MaxAttempts)
	}
	for _, t := range []struct {
		on   string
		then Then
	}{{"pass", p.Tests.OnPass}, {"fail", p.Tests.OnFail}, {"broken", p.Tests.OnBroken}} {
		switch t.then {
		case "", GoOn, ThenAccept, ThenReject:
		default:
			bad("nothing is known that follows on %s by the name %q", t.on, t.then)
		}
	}
	if p.Tests.OnFail == ThenAccept || p.Tests.OnBroken == ThenAccept {
		bad("a failing test cannot accept")
	}
	if p.Tests.OnPass == ThenReject {
		bad("a passing test cannot reject")
	}
	if p.Residual.Votes < 0 || p.Residual.Votes > MaxVotes {
		bad("a reviewer gives 0 to %d votes", MaxVotes)
	}
	switch p.Residual.Rule {
	case "", vote.Plurality, vote.Strict:
	default:
		bad("there is no tally rule %q", p.Residual.Rule)
	}
	if !p.NoChange && p.Static == StaticOff && p.Tests.Attempts == 0 && p.Residual.Votes == 0 {
		bad("the policy has no stage")
	}
	return out
}

// looks reports whether the policy reads the patch itself.
func (p Policy) looks() bool { return p.NoChange }
