package handlers

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"math"
	"sync"

	"plumbline/runner"
	"plumbline/web/layout"
	"plumbline/web/pages"
)

// beliefCache keeps computed belief pages. What a page shows is a function of the
// records and of its address, so that the key is a digest of both: a new vote, label
// or check gives another key, and nothing is ever out of date.
type beliefCache struct {
	mu    sync.Mutex
	pages map[[32]byte]*keptBelief
	order [][32]byte // oldest first
}

type keptBelief struct {
	once sync.Once
	view pages.Belief
	code int
	err  error
}

const keptBeliefs = 128

// errBeliefBroke is what others get who waited for a page whose making panicked.
var errBeliefBroke = errors.New("the page could not be computed")

func newBeliefCache() *beliefCache { return &beliefCache{pages: map[[32]byte]*keptBelief{}} }

// get computes a page once for all readers of a key. An error is not kept.
func (c *beliefCache) get(key [32]byte, compute func() (pages.Belief, int, error)) (pages.Belief, int, error) {
	c.mu.Lock()
	k, ok := c.pages[key]
	if !ok {
		k = &keptBelief{}
		c.pages[key] = k
		c.order = append(c.order, key)
		if len(c.order) > keptBeliefs {
			delete(c.pages, c.order[0])
			c.order = c.order[1:]
		}
	}
	c.mu.Unlock()
	k.once.Do(func() {
		k.err = errBeliefBroke // unless compute returns
		k.view, k.code, k.err = compute()
		k.view.Frame = layout.Frame{}
	})
	if k.err != nil {
		c.mu.Lock()
		if c.pages[key] == k {
			delete(c.pages, key)
		}
		c.mu.Unlock()
	}
	return k.view, k.code, k.err
}

// beliefKey is the digest of a request and of the records that it is about.
func beliefKey(src beliefSource, r *beliefRequest) [32]byte {
	h := sha256.New()
	fmt.Fprintf(h, "%s?%s\n%t %v %v\n", r.path, r.q.Encode(), src.edit, src.writers, src.facts)
	digestRecords(h, src.recorded)
	var out [32]byte
	h.Sum(out[:0])
	return out
}

// digestRecords writes everything a study reads.
func digestRecords(h hash.Hash, rec *runner.Recorded) {
	fmt.Fprintf(h, "%q %t %d %d %d %q %q\n", rec.Title, rec.Chains, rec.Generators, rec.Votes, rec.Seed, rec.Notes, rec.Splits)
	spent := func(money, seconds *float64) {
		for _, x := range []*float64{money, seconds} {
			if x == nil {
				fmt.Fprint(h, "- ")
			} else {
				fmt.Fprintf(h, "%g ", *x)
			}
		}
	}
	spent(rec.Regenerate.Money, rec.Regenerate.Seconds)
	spent(rec.Verify.Money, rec.Verify.Seconds)
	for _, c := range rec.Critics {
		fmt.Fprintf(h, "%q %q %q %d %q %q %t %t %t ", c.Key, c.Name, c.Kind, c.Arm, c.Score, c.Checks, c.UpperBound, c.Simulated, c.Usual)
		spent(c.Spent.Money, c.Spent.Seconds)
	}
	fmt.Fprintf(h, "%v\n", rec.Scores)
	var raw []byte
	for _, k := range rec.Table.Tasks {
		raw = fmt.Appendf(raw[:0], "\n%q %q ", k.ID, k.Group)
		for _, c := range k.Candidates {
			raw = append(append(raw, c.ID...), 0, byte(c.Y))
			for _, z := range c.Outcomes {
				raw = binary.BigEndian.AppendUint16(raw, uint16(z))
			}
			for _, x := range c.Scores {
				raw = binary.BigEndian.AppendUint64(raw, math.Float64bits(x))
			}
		}
		h.Write(raw)
	}
}
