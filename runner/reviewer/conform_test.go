package reviewer

import (
	"context"
	"errors"
	"sync"
	"testing"

	"plumbline/experiments/simulate"
	"plumbline/experiments/vote"
	"plumbline/runner/reviewer/reviewertest"
)

// Every implementation keeps the same contract.
func TestConformance(t *testing.T) {
	recorded := Answer{Raw: reviewertest.Decide("reject"), RequestHash: "recorded"}
	recorded.Reply.Vote = vote.Reject
	tests := map[string]func(t *testing.T) Reviewer{
		"openai": func(t *testing.T) Reviewer {
			d, _ := testDeps(t)
			return mustNew(t, openAISpec(reviewertest.New(t, reviewertest.Options{})), d)
		},
		"anthropic": func(t *testing.T) Reviewer {
			d, _ := testDeps(t)
			return mustNew(t, anthropicSpec(reviewertest.New(t, reviewertest.Options{})), d)
		},
		"cached": func(t *testing.T) Reviewer {
			d, _ := testDeps(t)
			d.Cache = NewMemoryCache(100)
			return mustNew(t, openAISpec(reviewertest.New(t, reviewertest.Options{})), d)
		},
		"simulated": func(t *testing.T) Reviewer {
			d, _ := testDeps(t)
			return mustNew(t, Spec{Kind: KindSimulated, Simulated: &Simulated{Preset: simulate.Strong, LatencyMS: 5}}, d)
		},
		"replay": func(t *testing.T) Reviewer {
			d, _ := testDeps(t)
			d.Record = func(_ context.Context, req Request) (Answer, bool, error) {
				a := recorded
				a.RequestHash = hash(Spec{}, req)
				return a, true, nil
			}
			return mustNew(t, Spec{Kind: KindReplay}, d)
		},
	}
	for name, build := range tests {
		t.Run(name, func(t *testing.T) {
			r := build(t)
			hashes := sync.Map{}
			var wg sync.WaitGroup
			for i := range 30 {
				req := testRequest(t, i)
				wg.Add(1)
				go func() {
					defer wg.Done()
					a, err := r.Ask(t.Context(), req)
					if err != nil {
						t.Errorf("vote %d: %v", i, err)
						return
					}
					switch a.Reply.Vote {
					case vote.Accept, vote.Reject, vote.Uncertain, vote.Unparseable:
					default:
						t.Errorf("vote %d is %q", i, a.Reply.Vote)
					}
					if a.Raw == "" || a.RequestHash == "" {
						t.Errorf("vote %d has raw text %q and hash %q", i, a.Raw, a.RequestHash)
					}
					if a.Cached || a.Simulated || a.Recorded {
						if a.Attempts != 0 || a.Billed() == nil || *a.Billed() != 0 {
							t.Errorf("vote %d made %d calls and bills %v", i, a.Attempts, a.Billed())
						}
					} else if a.Attempts != 1 {
						t.Errorf("vote %d took %d calls", i, a.Attempts)
					}
					if other, taken := hashes.LoadOrStore(a.RequestHash, i); taken {
						t.Errorf("votes %d and %d share a request hash", i, other)
					}
				}()
			}
			wg.Wait()

			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			_, err := r.Ask(ctx, testRequest(t, 99))
			if e := asError(t, err); e.Class != ClassCanceled || !errors.Is(err, context.Canceled) || e.Permanent {
				t.Errorf("after the caller gave up: %+v", e)
			}
		})
	}
}

func TestReplayInventsNothing(t *testing.T) {
	d, _ := testDeps(t)
	d.Record = func(context.Context, Request) (Answer, bool, error) { return Answer{}, false, nil }
	_, err := mustNew(t, Spec{Kind: KindReplay}, d).Ask(t.Context(), testRequest(t, 0))
	if e := asError(t, err); e.Class != ClassNotRecorded || !e.Permanent {
		t.Errorf("%+v", e)
	}
	d.Record = func(context.Context, Request) (Answer, bool, error) { return Answer{}, false, errors.New("disk gone") }
	_, err = mustNew(t, Spec{Kind: KindReplay}, d).Ask(t.Context(), testRequest(t, 0))
	if e := asError(t, err); e.Class != ClassServer || e.Permanent {
		t.Errorf("%+v", e)
	}
	d.Record = nil
	if _, err := New(Spec{Kind: KindReplay}, d); err == nil {
		t.Error("a replay without records was built")
	}
}
