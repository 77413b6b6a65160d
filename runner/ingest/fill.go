package ingest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"sort"

	"plumbline/experiments/formats"
	"plumbline/experiments/trace"
	"plumbline/models"
)

// filling is the second pass: it reads the files again, takes the texts that are
// needed and stores every attempt when it is whole, together with its instance. An
// import that is killed has stored whole attempts or nothing of them, and the same
// import again stores the rest.
type filling struct {
	scan  *scan
	needs *needs
	store *storing
	spool *spool
	// open are the attempts and instances of which some record was read already.
	attempts  map[int32]*heldAttempt
	instances map[int32]*trace.Instance
	held      int64             // bytes of them in memory
	instance  map[string]int32  // by id
	waiting   map[int32][]int32 // whole attempts whose instance is not
	running   runningSteps
	changed   map[string]bool // paths that are not as they were in the first pass
}

// heldAttempt is an attempt some of whose texts were read.
type heldAttempt struct {
	patch, summary heldText
	steps          heldSteps
	bytes          int64 // in memory
}

// runningSteps are the steps on their way, which come before their record.
type runningSteps struct {
	of   formats.Ref
	to   []int32 // attempts they belong to
	hash *trace.StepsHash
}

// heldLimit bounds what waits in memory.
const heldLimit = 24 << 20

func newFilling(s *scan, n *needs, st *storing, dir string) *filling {
	f := &filling{
		scan: s, needs: n, store: st, spool: &spool{dir: dir},
		attempts: map[int32]*heldAttempt{}, instances: map[int32]*trace.Instance{}, instance: map[string]int32{},
		waiting: map[int32][]int32{}, changed: map[string]bool{}, running: runningSteps{hash: trace.NewStepsHash()},
	}
	for i, in := range s.joined.Instances {
		f.instance[in.ID] = int32(i)
	}
	return f
}

// run stores what needs no text, then reads the files.
func (f *filling) run(ctx context.Context, progress *meter) (err error) {
	defer func() { err = errors.Join(err, f.spool.close()) }()
	for i, left := range f.needs.instances {
		if left == 0 {
			if err := f.instanceDone(ctx, int32(i)); err != nil {
				return err
			}
		}
	}
	for i, left := range f.needs.attempts {
		if left == 0 {
			if err := f.attemptDone(ctx, int32(i)); err != nil {
				return err
			}
		}
	}
	again := f.scan.visitor.again(func(path string) bool { return len(f.needs.byPath[path]) > 0 })
	again.progress = progress
	again.rowsFirst(f.needs.rowsOnly)
	if err := again.each(ctx, func(e entry) error { return f.file(ctx, e) }); err != nil {
		return err
	}
	return f.store.flush(ctx)
}

// file takes the needed texts of one file.
func (f *filling) file(ctx context.Context, e entry) error {
	list := f.needs.byPath[e.path]
	if e.err != nil || len(list) == 0 {
		return nil // the first pass told why, or nothing is needed
	}
	at := func(n int) []need {
		i := sort.Search(len(list), func(i int) bool { return list[i].n >= n })
		k := i
		for k < len(list) && list[k].n == n {
			k++
		}
		return list[i:k]
	}
	var stop error
	// A file that cannot be read to its end gives what it gave in the first pass.
	_, _ = readEntry(e, e.r, func(r formats.Record) error {
		if stop = f.record(ctx, r, at); stop == nil {
			stop = ctx.Err()
		}
		return stop
	})
	return stop
}

func (f *filling) record(ctx context.Context, r formats.Record, at func(n int) []need) error {
	switch v := r.(type) {
	case *formats.Step:
		return f.step(v, at)
	case *formats.Trajectory:
		return f.texts(ctx, v.Ref, at(v.N), &v.Trace, v.PatchSHA256)
	case *formats.Prediction:
		return f.texts(ctx, v.Ref, at(v.N), &trace.Trace{Patch: v.Patch}, "")
	case *formats.Part:
		return f.texts(ctx, v.Ref, at(v.N), &v.Trace, "")
	case *formats.Row:
		return f.row(ctx, v, at(v.N))
	}
	return nil
}

// step takes a step for every attempt it belongs to.
func (f *filling) step(v *formats.Step, at func(n int) []need) error {
	if v.Of != f.running.of {
		f.running = runningSteps{of: v.Of, hash: trace.NewStepsHash()}
		for _, n := range at(v.Of.N) {
			if n.what&stepTexts != 0 {
				f.running.to = append(f.running.to, n.of)
			}
		}
	}
	if len(f.running.to) == 0 {
		return nil
	}
	st := models.CleanStep(v.Step)
	f.running.hash.Add(&st)
	for _, i := range f.running.to {
		h := f.hold(i)
		h.steps.tail = append(h.steps.tail, st)
		f.add(h, stepBytes(&st))
	}
	return f.spill()
}

// texts takes patch and summary of a record, which also ends the steps before it.
// stated is the hash of the patch if the record itself gives it.
func (f *filling) texts(ctx context.Context, ref formats.Ref, list []need, t *trace.Trace, stated string) error {
	for _, n := range list {
		if n.what&instanceTexts != 0 {
			continue
		}
		a := f.scan.joined.Attempts[n.of]
		h := f.hold(n.of)
		if n.what&patchText != 0 {
			if sum := sha256.Sum256([]byte(t.Patch)); a.Patch.SHA256 != stated && a.Patch.SHA256 != hex.EncodeToString(sum[:]) {
				f.drop(n.of, ref.Path)
				continue
			}
			h.patch.text = t.Patch
			f.add(h, int64(len(t.Patch)))
		}
		if n.what&summaryText != 0 {
			h.summary.text = t.Summary
			f.add(h, int64(len(t.Summary)))
		}
		if want := f.scan.steps[ref]; n.what&stepTexts != 0 && want.n > 0 && (f.running.of != ref || f.running.hash.Sum() != want.hex()) {
			f.drop(n.of, ref.Path)
			continue
		}
		if f.needs.attempts[n.of]--; f.needs.attempts[n.of] > 0 {
			continue
		}
		if err := f.attemptDone(ctx, n.of); err != nil {
			return err
		}
	}
	return f.spill()
}

// drop gives an attempt up whose file is not what it was in the first pass.
func (f *filling) drop(i int32, path string) {
	f.changed[path] = true
	f.needs.attempts[i] = 255
	if h := f.attempts[i]; h != nil {
		f.held -= h.bytes
		delete(f.attempts, i)
	}
}

func (f *filling) row(ctx context.Context, v *formats.Row, list []need) error {
	for _, n := range list {
		if n.what&instanceTexts == 0 {
			continue
		}
		in := f.instances[n.of]
		if in == nil {
			c := f.scan.joined.Instances[n.of]
			in = &c
			f.instances[n.of] = in
		}
		if n.what&issueText != 0 {
			in.Issue = v.Instance.Issue
		}
		if n.what&hintsText != 0 {
			in.Hints = v.Instance.Hints
		}
		if n.what&oracleText != 0 {
			in.Oracle = v.Instance.Oracle
		}
		if f.needs.instances[n.of]--; f.needs.instances[n.of] == 0 {
			if err := f.instanceDone(ctx, n.of); err != nil {
				return err
			}
		}
	}
	return nil
}

// instanceDone stores an instance, and the attempts that waited for it.
func (f *filling) instanceDone(ctx context.Context, i int32) error {
	in := f.instances[i]
	if in == nil {
		c := f.scan.joined.Instances[i]
		in = &c
	}
	delete(f.instances, i)
	if err := f.store.instance(ctx, *in); err != nil {
		return err
	}
	list := f.waiting[i]
	delete(f.waiting, i)
	for _, a := range list {
		if err := f.put(ctx, a); err != nil {
			return err
		}
	}
	return nil
}

// attemptDone stores an attempt, or keeps it until its instance is whole.
func (f *filling) attemptDone(ctx context.Context, i int32) error {
	n, described := f.instance[f.scan.joined.Attempts[i].Trace.InstanceID]
	if described && f.needs.instances[n] > 0 {
		f.waiting[n] = append(f.waiting[n], i)
		return nil
	}
	return f.put(ctx, i)
}

func (f *filling) put(ctx context.Context, i int32) error {
	a := f.scan.joined.Attempts[i]
	in := f.scan.input(a)
	in.Stored = f.needs.stored[i]
	h := f.attempts[i]
	if h == nil {
		h = &heldAttempt{}
	}
	delete(f.attempts, i)
	f.held -= h.bytes
	var err error
	if in.Trace.Patch, err = h.patch.load(f.spool); err != nil {
		return err
	}
	if in.Trace.Summary, err = h.summary.load(f.spool); err != nil {
		return err
	}
	if len(h.steps.away)+len(h.steps.tail) > 0 {
		in.Steps.Each = func(yield func(trace.Step) error) error { return h.steps.each(f.spool, yield) }
	}
	if _, described := f.instance[a.Trace.InstanceID]; !described {
		f.store.bare(bare(a))
	}
	return f.store.attempt(ctx, a, in, int64(len(in.Trace.Patch)+len(in.Trace.Summary))+h.bytes)
}

func (f *filling) hold(i int32) *heldAttempt {
	h := f.attempts[i]
	if h == nil {
		h = &heldAttempt{}
		f.attempts[i] = h
	}
	return h
}

func (f *filling) add(h *heldAttempt, bytes int64) {
	h.bytes += bytes
	f.held += bytes
}

// spill moves what waits in memory to the temporary file when it is too much.
func (f *filling) spill() error {
	if f.held <= heldLimit {
		return nil
	}
	for _, h := range f.attempts {
		if err := errors.Join(h.patch.spill(f.spool), h.summary.spill(f.spool), h.steps.spill(f.spool)); err != nil {
			return err
		}
		h.bytes = 0
	}
	f.held = 0
	return nil
}

// lost lists the attempts that could not be stored because a file changed while it
// was imported, by path.
func (f *filling) lost() map[string]int {
	out := map[string]int{}
	for p := range f.changed {
		out[p] = 0
	}
	for p, list := range f.needs.byPath {
		for _, n := range list {
			if n.what&instanceTexts == 0 && f.needs.attempts[n.of] > 0 || n.what&instanceTexts != 0 && f.needs.instances[n.of] > 0 {
				out[p]++
			}
		}
	}
	return out
}

// changedProblem tells of such a file.
func changedProblem(path string, n int) *formats.Problem {
	return &formats.Problem{Path: path, Message: fmt.Sprintf("changed while it was imported; %d of its records were not stored: import it again", n)}
}
