package runner

import (
	"context"
	"encoding/json"
	"fmt"

	"plumbline/models"
	"plumbline/runner/reviewer"
)

// answers is the cache of answers in the store, shared by all experiments that
// ask for it.
type answers struct{ store *models.Store }

var _ reviewer.Cache = answers{}

func (a answers) Get(ctx context.Context, hash string) (reviewer.Answer, bool, error) {
	raw, ok, err := a.store.CachedCall(ctx, hash)
	if err != nil || !ok {
		return reviewer.Answer{}, false, err
	}
	var ans reviewer.Answer
	if err := json.Unmarshal([]byte(raw), &ans); err != nil {
		return reviewer.Answer{}, false, fmt.Errorf("read a cached answer: %w", err)
	}
	return ans, true, nil
}

func (a answers) Put(ctx context.Context, hash string, ans reviewer.Answer) error {
	raw, err := json.Marshal(ans)
	if err != nil {
		return fmt.Errorf("write a cached answer: %w", err)
	}
	return a.store.CacheCall(ctx, hash, string(raw))
}
