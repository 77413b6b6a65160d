package reviewer

import (
	"testing"

	"plumbline/experiments/simulate"
	"plumbline/runner/reviewer/reviewertest"
)

func TestReach(t *testing.T) {
	d, _ := testDeps(t)
	srv := reviewertest.New(t, reviewertest.Options{Key: testKey})
	gone := reviewertest.Start(reviewertest.Options{})
	gone.Close()
	for _, make := range []func(*reviewertest.Server) Spec{openAISpec, anthropicSpec} {
		good, wrong := make(srv), make(srv)
		good.Key, wrong.Key = "env:GOOD", "env:WRONG"
		if err := Reach(t.Context(), good, d); err != nil {
			t.Error(err)
		}
		if e := asError(t, Reach(t.Context(), wrong, d)); e.Class != ClassAuth {
			t.Errorf("%+v", e)
		}
		if e := asError(t, Reach(t.Context(), make(gone), d)); e.Class != ClassNetwork {
			t.Errorf("%+v", e)
		}
	}
	if err := Reach(t.Context(), Spec{Kind: KindSimulated, Simulated: &Simulated{Preset: simulate.Small}}, d); err != nil {
		t.Error(err)
	}
	if err := Reach(t.Context(), Spec{Kind: KindOpenAI}, d); err == nil {
		t.Error("a spec without an address was reached")
	}
}
