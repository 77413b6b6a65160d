package reviewer

import (
	"context"
	"strings"
	"time"

	"plumbline/experiments/evidence"
	"plumbline/experiments/review"
)

// simulated answers by label, confusion matrix and seed, in the words a model would
// use. It is the only reviewer that reads Request.Truth.
type simulated struct {
	spec  Spec
	sleep sleeper
}

// Ask never fails but for the caller's context.
func (s simulated) Ask(ctx context.Context, req Request) (Answer, error) {
	if err := gateOf(ctx).Err(); err != nil {
		return Answer{}, canceled(err)
	}
	if ms := s.spec.Simulated.LatencyMS; ms > 0 {
		if err := s.sleep(ctx, time.Duration(ms*float64(time.Millisecond))); err != nil {
			return Answer{}, canceled(err)
		}
	}
	r := s.spec.Simulated.Reviewer
	_, raw := r.Reply(uint64(req.Seed), req.TraceID, req.VoteIndex, req.Truth, string(req.Form), shown(req.Messages.User))
	return Answer{
		Reply: review.Parse(raw), Raw: raw, Stop: review.StopDone, RequestHash: hash(s.spec, req),
		Model: r.Name, Latency: time.Duration(s.spec.Simulated.LatencyMS * float64(time.Millisecond)), Simulated: true,
	}, nil
}

// shown is the evidence inside a prompt, one row a line and without numbers.
func shown(user string) string {
	var b strings.Builder
	for _, l := range evidence.ReadLines(user) {
		b.WriteString(l.Text)
		b.WriteByte('\n')
	}
	return b.String()
}
