package formats

import (
	"strings"

	"plumbline/experiments/trace"
)

// addRow keeps the first row of an instance; later ones fill what it lacks. A row
// of a dataset replaces copies that stood inside trajectories.
func (j *Joiner) addRow(r *Row) {
	id := r.Instance.ID
	if id == "" {
		j.skip("row without an instance")
		return
	}
	old, ok := j.rows[id]
	if !ok {
		j.rowOrder = append(j.rowOrder, id)
		j.texts[id] = &RowTexts{}
	}
	if !ok || old.Embedded && !r.Embedded {
		j.texts[id].from(r, true)
		c := *r
		if !j.opt.KeepRows {
			c.Instance.Issue, c.Instance.Hints, c.Instance.Oracle = "", "", trace.Oracle{}
		}
		j.rows[id] = &c
		if ok {
			fillRow(&c.Instance, &old.Instance)
		}
		return
	}
	if !r.Embedded {
		j.report.Duplicates++
	}
	if differs(old.Instance.BaseCommit, r.Instance.BaseCommit) {
		j.report.Conflicts = append(j.report.Conflicts, Conflict{id, r.Pos.String(), "the base commit differs from " + old.Pos.String() + ", which is kept"})
		return
	}
	j.texts[id].from(r, false)
	in := r.Instance
	if !j.opt.KeepRows {
		in.Issue, in.Hints, in.Oracle = "", "", trace.Oracle{}
	}
	fillRow(&old.Instance, &in)
}

// differs reports whether two commits are known and neither abbreviates the other.
func differs(a, b string) bool {
	return a != "" && b != "" && !strings.HasPrefix(a, b) && !strings.HasPrefix(b, a)
}

// fillRow adds to dst what it lacks.
func fillRow(dst, src *trace.Instance) {
	if len(src.BaseCommit) > len(dst.BaseCommit) {
		dst.BaseCommit = src.BaseCommit
	}
	fill(&dst.Repo, src.Repo)
	fill(&dst.Version, src.Version)
	fill(&dst.Language, src.Language)
	fill(&dst.Issue, src.Issue)
	fill(&dst.Hints, src.Hints)
	if dst.Oracle.Empty() {
		dst.Oracle = src.Oracle
	}
}

func fill(dst *string, src string) {
	if *dst == "" {
		*dst = src
	}
}
