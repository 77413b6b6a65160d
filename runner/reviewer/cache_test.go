package reviewer

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"plumbline/runner/reviewer/reviewertest"
)

// Five votes are five calls the first time and none the second, although the prompt
// is the same; a hit is marked and billed once.
func TestRepeatsAreRepeatsWithACache(t *testing.T) {
	srv := reviewertest.New(t, reviewertest.Options{})
	d, _ := testDeps(t)
	d.Cache = NewMemoryCache(100)
	spec := openAISpec(srv)
	spec.Price = testPrice
	r := mustNew(t, spec, d)
	var first []Answer
	for i := range 5 {
		a, err := r.Ask(t.Context(), testRequest(t, i))
		if err != nil {
			t.Fatal(err)
		}
		if a.Cached || *a.Billed() <= 0 {
			t.Errorf("vote %d: cached %v, billed %v", i, a.Cached, *a.Billed())
		}
		first = append(first, a)
	}
	for i := range 5 {
		a, err := r.Ask(t.Context(), testRequest(t, i))
		if err != nil {
			t.Fatal(err)
		}
		if !a.Cached || *a.Billed() != 0 || a.Raw != first[i].Raw || *a.CostUSD != *first[i].CostUSD || a.RequestHash != first[i].RequestHash {
			t.Errorf("vote %d: %+v", i, a)
		}
	}
	if got := srv.Stats().Requests; got != 5 {
		t.Errorf("%d calls, want 5", got)
	}
	// Another seed, trace or setting is another vote.
	other := testRequest(t, 0)
	other.Seed++
	trace2 := testRequest(t, 0)
	trace2.TraceID = "trace-2"
	spec.Temperature = f64(0.2)
	cooler := mustNew(t, spec, d)
	for i, ask := range []func() (Answer, error){
		func() (Answer, error) { return r.Ask(t.Context(), other) },
		func() (Answer, error) { return r.Ask(t.Context(), trace2) },
		func() (Answer, error) { return cooler.Ask(t.Context(), testRequest(t, 0)) },
	} {
		if a, err := ask(); err != nil || a.Cached {
			t.Errorf("case %d: cached %v, %v", i, a.Cached, err)
		}
	}
}

type brokenCache struct{}

func (brokenCache) Get(context.Context, string) (Answer, bool, error) {
	return Answer{}, true, errors.New("no")
}
func (brokenCache) Put(context.Context, string, Answer) error { return errors.New("no") }

func TestCacheIsNoCondition(t *testing.T) {
	fail := true
	srv := reviewertest.New(t, reviewertest.Options{Fault: func(reviewertest.Call) reviewertest.Fault {
		if fail {
			return reviewertest.Status(400, "no")
		}
		return nil
	}})
	d, _ := testDeps(t)
	d.Cache = NewMemoryCache(1)
	r := mustNew(t, openAISpec(srv), d)
	if _, err := r.Ask(t.Context(), testRequest(t, 0)); err == nil {
		t.Fatal("no error")
	}
	fail = false
	if a, err := r.Ask(t.Context(), testRequest(t, 0)); err != nil || a.Cached {
		t.Errorf("a failure was cached: %v", err)
	}
	d.Cache = brokenCache{}
	if a, err := mustNew(t, openAISpec(srv), d).Ask(t.Context(), testRequest(t, 0)); err != nil || a.Cached {
		t.Errorf("a broken cache: %v, cached %v", err, a.Cached)
	}
}

func TestMemoryCacheIsBounded(t *testing.T) {
	c := NewMemoryCache(3)
	for i := range 5 {
		if err := c.Put(t.Context(), fmt.Sprint(i), Answer{Raw: fmt.Sprint(i)}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 5 {
		a, found, err := c.Get(t.Context(), fmt.Sprint(i))
		if err != nil || found != (i >= 2) || found && a.Raw != fmt.Sprint(i) {
			t.Errorf("entry %d: found %v, %v", i, found, err)
		}
	}
}
