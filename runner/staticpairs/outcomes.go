package staticpairs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"plumbline/experiments/findings"
	"plumbline/experiments/formats"
)

// Outcomes are what published runs say of patches: whether the official tests accept
// them.
type Outcomes map[Listed]bool

// ReadOutcomes reads the runs that the patches are from, as an import reads them.
// runs is the folder that the paths of prediction files begin in. A run that is not
// there gives no outcomes.
func ReadOutcomes(ctx context.Context, runs string, patches []Listed) (Outcomes, error) {
	var top []string
	for _, p := range patches {
		dir, _, _ := strings.Cut(p.PredictionFile, "/")
		if dir != "" && filepath.IsLocal(dir) && !slices.Contains(top, dir) {
			top = append(top, dir)
		}
	}
	j := formats.NewJoiner(formats.Options{})
	for _, dir := range top {
		err := filepath.WalkDir(filepath.Join(runs, dir), func(name string, d fs.DirEntry, err error) error {
			if err != nil || ctx.Err() != nil {
				return errors.Join(err, ctx.Err())
			}
			if d.IsDir() || !d.Type().IsRegular() {
				return nil
			}
			return join(j, runs, name)
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("read the run %s: %w", dir, err)
		}
	}
	out := Outcomes{}
	for _, a := range j.Finish().Attempts {
		if a.Trace.Outcome.Resolved == nil {
			continue
		}
		at := a.Main.Path
		if a.PatchAt != nil {
			at = a.PatchAt.Path
		}
		out[Listed{a.Trace.InstanceID, at}] = *a.Trace.Outcome.Resolved
	}
	return out, nil
}

// join hands a file to the joiner. What an import could not read either is no outcome.
func join(j *formats.Joiner, runs, name string) error {
	raw, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	rel, err := filepath.Rel(runs, name)
	if err != nil {
		return err
	}
	rel = filepath.ToSlash(rel)
	f, _ := formats.Sniff(rel, raw[:min(len(raw), formats.SniffLen)])
	rep, _ := formats.Read(f, bytes.NewReader(raw), formats.Source{Path: rel, Size: int64(len(raw))}, j.Add)
	j.File(rep)
	return nil
}

// Judge gives the pairs their outcomes and tells how many of the listed patches have
// one.
func (s *Set) Judge(o Outcomes) (listedJudged int) {
	for i, from := range s.From {
		if v, ok := o[from]; ok {
			s.Pairs[i].Resolved = &v
		}
	}
	for _, l := range s.Listed {
		if _, ok := o[l]; ok {
			listedJudged++
		}
	}
	return listedJudged
}

// Tools names the tools that some pair has an output of, sorted.
func (s Set) Tools() []string {
	var out []string
	for _, p := range s.Pairs {
		for _, t := range p.Tools {
			if !slices.Contains(out, t.Tool) {
				out = append(out, t.Tool)
			}
		}
	}
	slices.Sort(out)
	return out
}

// Compare attributes every pair by the named tools, by all when none is named.
func (s Set) Compare(tools ...string) []findings.PairResult {
	var out []findings.PairResult
	for _, p := range s.Pairs {
		out = append(out, findings.ComparePair(p, tools...))
	}
	return out
}
