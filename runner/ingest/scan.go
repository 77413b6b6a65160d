package ingest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strings"

	"plumbline/experiments/formats"
	"plumbline/experiments/trace"
	"plumbline/models"
)

// scan is what the first pass over the files knows: everything but the texts.
type scan struct {
	joined      formats.Joined
	joiner      *formats.Joiner
	joinOptions formats.Options
	window      *windows // nil: nothing is stored while it is read
	sources     []models.ImportSource
	visitor     *visitor
	// steps are the hashes of the trajectories by their record.
	steps map[formats.Ref]stepsOf
	// unused counts records that are no part of a trace, by what they are.
	unused map[string]int
	// labels names the column that labels attempts; empty: there is none.
	labels string
	// failed says that something could not be read, though a later try may succeed.
	failed bool
	bytes  int64
}

// stepsOf tells one trajectory from another.
type stepsOf struct {
	n   int
	sum [32]byte
}

func (s stepsOf) hex() string {
	if s.n == 0 {
		return ""
	}
	return hex.EncodeToString(s.sum[:])
}

// scan reads every file and joins the records without keeping their texts. What
// cannot be opened or read is a problem of that file, and the others are read. With
// a storing, what needs no second reading is stored at once.
func (g *Ingest) scan(ctx context.Context, files []diskFile, o Options, keepSummaries bool, st *storing) (*scan, error) {
	if o.Format != "" && !slices.Contains(formats.Formats(), formats.Format(o.Format)) {
		return nil, models.Invalid("format", fmt.Sprintf("there is no reader %q", o.Format))
	}
	s := &scan{
		visitor: newVisitor(files, formats.Format(o.Format), g.uploads),
		steps:   map[formats.Ref]stepsOf{}, unused: map[string]int{}, labels: o.LabelColumn,
	}
	s.visitor.progress = newMeter(o.Progress, PhaseRead, files)
	s.joinOptions = formats.Options{Agent: o.Agent, Model: o.Model, KeepSummaries: keepSummaries}
	s.joiner, s.window = formats.NewJoiner(s.joinOptions), windowOf(files, st)
	var stop error
	err := s.visitor.each(ctx, func(e entry) error {
		s.begin(e)
		rep, src := s.read(e, func(r formats.Record) error {
			if err := s.joiner.Add(r); err != nil {
				return err
			}
			stop = s.took(ctx, r)
			return stop
		})
		if stop != nil {
			return stop
		}
		if e.err == nil {
			s.sources = append(s.sources, src)
			s.bytes += src.Bytes
		}
		s.joiner.File(rep)
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	if s.window != nil && s.window.on {
		if err := s.endWindows(ctx); err != nil {
			return nil, err
		}
	} else {
		s.joined = s.joiner.Finish()
	}
	for _, what := range sortedKeys(s.unused) {
		s.joined.Report.Skipped[what] += s.unused[what]
	}
	return s, nil
}

// read reads one file into the joiner.
func (s *scan) read(e entry, add func(formats.Record) error) (formats.FileReport, models.ImportSource) {
	src := models.ImportSource{Path: e.path, Bytes: e.size}
	fail := func(rep formats.FileReport, err error) formats.FileReport {
		s.failed = true
		p := &formats.Problem{Path: e.path, Message: err.Error()}
		rep.Path, rep.Problems = e.path, append(rep.Problems, p)
		_ = add(p) // a joiner never fails
		return rep
	}
	if e.err != nil {
		return fail(formats.FileReport{Problems: []*formats.Problem{}}, e.err), src
	}
	hashed := &hashing{r: e.r, h: sha256.New()}
	running := trace.NewStepsHash()
	var of formats.Ref
	rep, err := readEntry(e, hashed, func(r formats.Record) error {
		switch v := r.(type) {
		case *formats.Step:
			if v.Of != of {
				of, running = v.Of, trace.NewStepsHash()
			}
			st := models.CleanStep(v.Step)
			running.Add(&st)
		case *formats.Trajectory:
			s.keepSteps(v.Ref, of, &running)
		case *formats.Part:
			s.keepSteps(v.Ref, of, &running)
		case *formats.Prediction:
			// A row of a table of labels speaks of an attempt and is none.
			if s.labels != "" && e.format == formats.PredictionsCSV && v.State == trace.PatchAbsent {
				s.unused[labelRow]++
				return nil
			}
		default:
			if what := unusedRecord(r); what != "" {
				s.unused[what]++
			}
		}
		return add(r)
	})
	if err != nil {
		rep = fail(rep, fmt.Errorf("%s", strings.TrimPrefix(err.Error(), "read "+e.path+": ")))
	}
	if _, err := io.Copy(io.Discard, hashed); err != nil && len(rep.Problems) == 0 {
		rep = fail(rep, err)
	}
	src.SHA256, src.Format, src.Bytes = hex.EncodeToString(hashed.h.Sum(nil)), string(rep.Format), hashed.n
	return rep, src
}

// keepSteps takes the hash of the steps that were emitted before their record.
func (s *scan) keepSteps(at, of formats.Ref, running **trace.StepsHash) {
	if at != of || (*running).Len() == 0 {
		return
	}
	d := stepsOf{n: (*running).Len()}
	if _, err := hex.Decode(d.sum[:], []byte((*running).Sum())); err != nil {
		panic("a hash is no hexadecimal number: " + err.Error())
	}
	s.steps[at] = d
	*running = trace.NewStepsHash()
}

// labelRow is what a row is called that gives an attempt a label and nothing else.
const labelRow = "row of a table of labels"

// unusedRecord says what a record is that no trace is made of; empty for others.
func unusedRecord(r formats.Record) string {
	switch r.(type) {
	case *formats.Vote:
		return "recorded vote, not part of a trace"
	case *formats.Decision:
		return "recorded decision, not part of a trace"
	case *formats.Finding:
		return "finding of an analyzer, not part of a trace"
	case *formats.TestCase:
		return "test case, not part of a trace"
	case *formats.Critic:
		return "row of a critic table, not part of a trace"
	}
	return ""
}

// readEntry reads one file in its format. Reading at random goes past the hash.
func readEntry(e entry, r io.Reader, emit func(formats.Record) error) (formats.FileReport, error) {
	if e.at != nil {
		r = struct {
			io.Reader
			io.ReaderAt
		}{r, e.at}
	}
	return formats.Read(e.format, r, formats.Source{Path: e.path, Size: e.size}, emit)
}

// hashing hashes and counts the bytes read.
type hashing struct {
	r io.Reader
	h interface {
		Write([]byte) (int, error)
		Sum([]byte) []byte
	}
	n int64
}

func (h *hashing) Read(p []byte) (int, error) {
	n, err := h.r.Read(p)
	h.h.Write(p[:n]) // a hash never fails
	h.n += int64(n)
	return n, err
}

// DryRun reads without writing anything.
func (g *Ingest) DryRun(ctx context.Context, paths []string, o Options) (formats.DryRunResult, error) {
	files, err := listDisk(paths)
	if err != nil {
		return formats.DryRunResult{}, err
	}
	s, err := g.scan(ctx, files, o, true, nil)
	if err != nil {
		return formats.DryRunResult{}, err
	}
	return formats.DryRun(s.joined), nil
}
