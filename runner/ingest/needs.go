package ingest

import (
	"context"
	"slices"

	"plumbline/experiments/formats"
	"plumbline/experiments/trace"
	"plumbline/models"
)

// texts are kinds of text that a record holds and the store lacks.
type texts uint8

const (
	patchText texts = 1 << iota
	summaryText
	stepTexts
	issueText
	hintsText
	oracleText
)

const instanceTexts = issueText | hintsText | oracleText

// need says which texts of a record belong to an attempt, or with instanceTexts to
// an instance, by their index in what was joined.
type need struct {
	n    int // of the record in its file
	what texts
	of   int32
}

// needs are the texts to fetch in the second pass, and how many records each
// attempt and each instance waits for.
type needs struct {
	byPath    map[string][]need // in the order of the records
	attempts  []uint8
	instances []uint8
	stored    []bool // attempts that the store has
}

// planned is how many attempts the store is asked about at once.
const planned = 500

// findNeeds asks the store what it lacks.
func findNeeds(ctx context.Context, plan *models.ImportPlan, s *scan) (*needs, error) {
	j := &s.joined
	n := &needs{
		byPath: map[string][]need{}, attempts: make([]uint8, len(j.Attempts)), instances: make([]uint8, len(j.Instances)),
		stored: make([]bool, len(j.Attempts)),
	}
	for start := 0; start < len(j.Attempts); start += planned {
		part := j.Attempts[start:min(start+planned, len(j.Attempts))]
		in := make([]models.TraceInput, len(part))
		for i, a := range part {
			in[i] = s.input(a)
		}
		lacks, err := plan.Traces(ctx, in)
		if err != nil {
			return nil, err
		}
		for i, a := range part {
			n.attempt(int32(start+i), a, s.stepsAt(a), lacks[i])
		}
	}
	for start := 0; start < len(j.Instances); start += planned {
		part := j.Instances[start:min(start+planned, len(j.Instances))]
		lacks, err := plan.Instances(ctx, part)
		if err != nil {
			return nil, err
		}
		for i := range part {
			n.instance(int32(start+i), j.Texts[start+i], lacks[i])
		}
	}
	for _, list := range n.byPath {
		slices.SortStableFunc(list, func(a, b need) int { return a.n - b.n })
	}
	return n, nil
}

// parts are the texts of one attempt or instance by their records.
type parts []struct {
	ref  formats.Ref
	what texts
}

func (p *parts) add(ref *formats.Ref, what texts, lacking bool) {
	if ref == nil || !lacking {
		return
	}
	for i := range *p {
		if (*p)[i].ref == *ref {
			(*p)[i].what |= what
			return
		}
	}
	*p = append(*p, struct {
		ref  formats.Ref
		what texts
	}{*ref, what})
}

func (n *needs) attempt(i int32, a *formats.Attempt, steps *formats.Ref, lack models.TraceLack) {
	var p parts
	p.add(a.PatchAt, patchText, lack.Patch)
	p.add(a.SummaryAt, summaryText, lack.Summary)
	p.add(steps, stepTexts, lack.Steps)
	n.attempts[i], n.stored[i] = uint8(len(p)), lack.Stored
	n.put(p, i)
}

func (n *needs) instance(i int32, t formats.RowTexts, lack models.InstanceLack) {
	var p parts
	p.add(t.Issue, issueText, lack.Issue)
	p.add(t.Hints, hintsText, lack.Issue)
	p.add(t.Oracle, oracleText, lack.Oracle)
	n.instances[i] = uint8(len(p))
	n.put(p, i)
}

func (n *needs) put(p parts, of int32) {
	for _, x := range p {
		n.byPath[x.ref.Path] = append(n.byPath[x.ref.Path], need{n: x.ref.N, what: x.what, of: of})
	}
}

// rowsOnly reports whether a file is needed for instances and nothing else.
func (n *needs) rowsOnly(path string) bool {
	list := n.byPath[path]
	for _, x := range list {
		if x.what&instanceTexts == 0 {
			return false
		}
	}
	return len(list) > 0
}

// input is an attempt as the store takes it, without texts.
func (s *scan) input(a *formats.Attempt) models.TraceInput {
	in := models.TraceInput{
		Trace: a.Trace, AgentSteps: a.Steps,
		Patch: models.PatchFacts{
			SHA256: a.Patch.SHA256, Bytes: int64(a.Patch.Bytes), Files: len(a.Patch.Files), Added: a.Patch.Added, Removed: a.Patch.Removed,
		},
	}
	in.Trace.Steps = nil
	in.Steps = &models.StepStream{}
	if at := s.stepsAt(a); at != nil {
		d := s.steps[*at]
		in.Steps.Len, in.Steps.SHA256 = d.n, d.hex()
	}
	return in
}

// stepsAt is the record that holds the steps of an attempt. Words without an action
// are steps of the record that names the attempt, though none that count.
func (s *scan) stepsAt(a *formats.Attempt) *formats.Ref {
	if a.StepsAt != nil {
		return a.StepsAt
	}
	if _, ok := s.steps[a.Main.Ref]; ok {
		return &a.Main.Ref
	}
	return nil
}

// bare is what an attempt itself says about its instance.
func bare(a *formats.Attempt) trace.Instance {
	return trace.Instance{ID: a.Trace.InstanceID, Repo: a.Repo, BaseCommit: a.Base}
}
