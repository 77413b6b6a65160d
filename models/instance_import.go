package models

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"plumbline/experiments/trace"
)

// instanceState is a stored instance and which of its texts are there.
type instanceState struct {
	InstanceRow
	HasOracle bool
}

// saveInstances stores instances that are new and fills blanks of stored ones. One
// named twice is filled twice. What is known of all of them is in b.instances
// afterwards.
func (b *importBatch) saveInstances(in []trace.Instance) error {
	b.instances = make(map[string]InstanceRow, len(in))
	ids := make([]string, 0, len(in))
	for _, i := range in {
		ids = append(ids, Clean(i.ID))
	}
	slices.Sort(ids)
	stored, err := instanceStates(b, slices.Compact(ids))
	if err != nil {
		return err
	}
	var rows []InstanceRow
	texts, oracles := sized[InstanceText]{tx: b.tx}, sized[OracleRow]{tx: b.tx.Clauses(clause.OnConflict{DoNothing: true}).Session(&gorm.Session{})}
	var made []trace.Instance
	for _, i := range in {
		id := Clean(i.ID)
		if _, ok := stored[id]; ok || b.instances[id].ID != "" {
			continue
		}
		row := InstanceRow{
			ID: b.s.newID("in"), DatasetID: b.datasetID, InstanceID: id,
			Repo: Clean(i.Repo), BaseCommit: Clean(i.BaseCommit), Language: Clean(i.Language),
			Version: Clean(i.Version), Title: title(i.Issue), CreatedAt: b.s.Now(),
		}
		b.instances[id] = row
		rows, made = append(rows, row), append(made, i)
	}
	if len(rows) > 0 {
		if err := b.tx.CreateInBatches(rows, 200).Error; err != nil {
			return err
		}
	}
	for n, i := range made {
		text := InstanceText{InstanceRow: rows[n].ID, Issue: Clean(i.Issue), Hints: Clean(i.Hints)}
		if err := texts.put(text, len(text.Issue)+len(text.Hints)); err != nil {
			return err
		}
	}
	if err := texts.flush(); err != nil {
		return err
	}
	for n, i := range made {
		if err := putOracle(&oracles, rows[n].ID, i.Oracle); err != nil {
			return err
		}
		stored[rows[n].InstanceID] = instanceState{rows[n], !i.Oracle.Empty()}
	}
	seen := map[string]bool{}
	for _, i := range made {
		seen[Clean(i.ID)] = true
	}
	for _, i := range in {
		id := Clean(i.ID)
		if seen[id] { // the one it was made from
			delete(seen, id)
			continue
		}
		st := stored[id]
		if err := b.fillInstance(&st, i, &oracles); err != nil {
			return err
		}
		stored[id], b.instances[id] = st, st.InstanceRow
	}
	return oracles.flush()
}

// instanceStates loads the stored ones among the ids.
func instanceStates(b *importBatch, ids []string) (map[string]instanceState, error) {
	out := map[string]instanceState{}
	for part := range slices.Chunk(ids, 500) {
		var rows []instanceState
		err := b.tx.Table("instances i").Select("i.*, o.instance_row IS NOT NULL AS has_oracle").
			Joins("LEFT JOIN instance_oracles o ON o.instance_row = i.id").
			Where("i.dataset_id = ? AND i.instance_id IN ?", b.datasetID, part).Scan(&rows).Error
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			out[r.InstanceID] = r
		}
	}
	return out, nil
}

func (b *importBatch) fillInstance(st *instanceState, in trace.Instance, oracles *sized[OracleRow]) error {
	fill := map[string]any{}
	shown := false
	for _, f := range []struct {
		column string
		have   *string
		now    string
		listed bool // stands in the list of traces too
	}{
		{"repo", &st.Repo, in.Repo, true}, {"base_commit", &st.BaseCommit, in.BaseCommit, false},
		{"language", &st.Language, in.Language, true}, {"version", &st.Version, in.Version, false},
		{"title", &st.Title, title(in.Issue), false},
	} {
		if *f.have == "" && f.now != "" {
			*f.have = Clean(f.now)
			fill[f.column] = *f.have
			shown = shown || f.listed
		}
	}
	if len(fill) > 0 {
		if err := b.tx.Model(&InstanceRow{}).Where("id = ?", st.ID).Updates(fill).Error; err != nil {
			return err
		}
	}
	if shown {
		err := b.tx.Model(&TraceRow{}).Where("instance_row = ?", st.ID).
			Updates(map[string]any{"repo": st.Repo, "language": st.Language}).Error
		if err != nil {
			return err
		}
	}
	if in.Issue != "" {
		err := b.tx.Model(&InstanceText{}).Where("instance_row = ? AND issue = ''", st.ID).
			Updates(map[string]any{"issue": Clean(in.Issue), "hints": Clean(in.Hints)}).Error
		if err != nil {
			return err
		}
	}
	if st.HasOracle || in.Oracle.Empty() {
		return nil
	}
	st.HasOracle = true
	return putOracle(oracles, st.ID, in.Oracle)
}

func putOracle(to *sized[OracleRow], instanceRow string, o trace.Oracle) error {
	if o.Empty() {
		return nil
	}
	f2p, err := json.Marshal(o.FailToPass)
	if err != nil {
		return err
	}
	p2p, err := json.Marshal(o.PassToPass)
	if err != nil {
		return err
	}
	row := OracleRow{
		InstanceRow: instanceRow, GoldPatch: Clean(o.GoldPatch), TestPatch: Clean(o.TestPatch),
		FailToPass: Clean(string(f2p)), PassToPass: Clean(string(p2p)),
	}
	return to.put(row, len(row.GoldPatch)+len(row.TestPatch)+len(row.FailToPass)+len(row.PassToPass))
}

// title is the first line of an issue, cut for lists.
func title(issue string) string {
	for line := range strings.Lines(Clean(issue)) {
		line = strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(line), "#"))
		if line == "" {
			continue
		}
		if utf8.RuneCountInString(line) > 160 {
			line = string([]rune(line)[:159]) + "…"
		}
		return line
	}
	return ""
}
