package runner

import (
	"context"
	"sync"

	"plumbline/models"
)

// committer gathers votes that arrive while a transaction is under way and
// commits them together in the next one. Nobody waits for a batch to fill: an
// idle committer commits a single vote at once. commit returns only when the vote
// is durable.
type committer struct {
	store *models.Store
	queue chan pendingVote
	done  sync.WaitGroup
}

type pendingVote struct {
	in    models.VoteInput
	reply chan<- voteResult
}

type voteResult struct {
	kept bool
	err  error
}

// commitBatch bounds one transaction, so that a burst cannot hold SQLite's
// writer for long.
const commitBatch = 64

func newCommitter(s *models.Store) *committer {
	c := &committer{store: s, queue: make(chan pendingVote, commitBatch)}
	c.done.Add(1)
	go c.run()
	return c
}

// commit stores one vote and reports whether it was the first of its index. It
// does not give up when ctx ends: the answer is paid for.
func (c *committer) commit(in models.VoteInput) (bool, error) {
	reply := make(chan voteResult, 1)
	c.queue <- pendingVote{in, reply}
	res := <-reply
	return res.kept, res.err
}

func (c *committer) close() {
	close(c.queue)
	c.done.Wait()
}

func (c *committer) run() {
	defer c.done.Done()
	for first := range c.queue {
		batch := []pendingVote{first}
	gather:
		for len(batch) < commitBatch {
			select {
			case p, ok := <-c.queue:
				if !ok {
					break gather
				}
				batch = append(batch, p)
			default:
				break gather
			}
		}
		c.flush(batch)
	}
}

// flush commits a batch; if it fails, each vote is tried alone, so that one bad
// row cannot take the others with it.
func (c *committer) flush(batch []pendingVote) {
	in := make([]models.VoteInput, len(batch))
	for i, p := range batch {
		in[i] = p.in
	}
	kept, err := c.store.CommitVotes(context.Background(), in)
	if err == nil {
		for i, p := range batch {
			p.reply <- voteResult{kept: kept[i]}
		}
		return
	}
	for i, p := range batch {
		one, e := []bool{false}, err
		if len(batch) > 1 {
			one, e = c.store.CommitVotes(context.Background(), in[i:i+1])
		}
		if e != nil {
			p.reply <- voteResult{err: e}
			continue
		}
		p.reply <- voteResult{kept: one[0]}
	}
}
