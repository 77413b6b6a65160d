package reviewer

import (
	"context"
	"sync"
)

// Cache keeps answers by request hash. Vote index and seed are in the hash, so K
// votes on one text are K entries. Implementations are safe for concurrent use.
type Cache interface {
	Get(ctx context.Context, hash string) (a Answer, found bool, err error)
	Put(ctx context.Context, hash string, a Answer) error
}

// cached asks the cache first. A hit is marked and bills nothing; what it cost when
// it was asked stays in CostUSD. Failures are never cached, and a cache that fails
// is passed by: it can save a call and not lose one.
type cached struct {
	next  Reviewer
	cache Cache
	spec  Spec
}

func (c cached) Ask(ctx context.Context, req Request) (Answer, error) {
	h := hash(c.spec, req)
	if a, found, err := c.cache.Get(ctx, h); err == nil && found {
		a.Cached, a.Attempts, a.Failures, a.RequestHash = true, 0, nil, h
		return a, nil
	}
	a, err := c.next.Ask(ctx, req)
	if err != nil {
		return a, err
	}
	// The answer is there and paid for; whether it is also kept for later must not
	// turn it into an error.
	_ = c.cache.Put(ctx, h, a)
	return a, nil
}

// NewMemoryCache is a cache of at most size answers; the oldest goes first.
func NewMemoryCache(size int) Cache {
	return &memoryCache{size: max(size, 1), all: map[string]Answer{}}
}

type memoryCache struct {
	size int

	mu    sync.Mutex
	all   map[string]Answer
	order []string
}

func (m *memoryCache) Get(_ context.Context, hash string) (Answer, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	a, ok := m.all[hash]
	return a, ok, nil
}

func (m *memoryCache) Put(_ context.Context, hash string, a Answer) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, known := m.all[hash]; !known {
		for len(m.order) >= m.size {
			delete(m.all, m.order[0])
			m.order = m.order[1:]
		}
		m.order = append(m.order, hash)
	}
	m.all[hash] = a
	return nil
}
