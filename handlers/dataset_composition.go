package handlers

import (
	"net/url"
	"sort"

	"plumbline/experiments/trace"
	"plumbline/models"
	"plumbline/web/components"
	"plumbline/web/pages"
)

// dimensionWords are the words of the pages for what traces are counted by.
var dimensionWords = map[models.TraceDim]string{models.ByAgent: "agent", models.ByRepo: "repository", models.BySplit: "split"}

// column is the composition column of a cell.
func column(c models.Cell) pages.CompositionKey { return columnOf(c.Label, c.Bucket) }

func columnOf(label, bucket string) pages.CompositionKey {
	switch label {
	case "acceptable":
		return pages.CompAcceptable
	case "defective":
		switch bucket {
		case "omission", "regression", "no_change":
			return pages.CompositionKey(bucket)
		}
		return pages.CompOther
	}
	return pages.CompUnknown
}

// composition sums the cells by name, largest first, with a line of all at the end.
// Every count leads to exactly the traces it counts. The line of all counts each
// trace once, also where it is in two splits.
func composition(cells []models.CompositionCell, splits []models.SplitCount, by models.TraceDim, total int, base string) []pages.CompositionRow {
	rows := map[string]map[pages.CompositionKey]int{}
	all := map[pages.CompositionKey]int{}
	for _, c := range cells {
		r := rows[c.Name]
		if r == nil {
			r = map[pages.CompositionKey]int{}
			rows[c.Name] = r
		}
		for _, k := range []pages.CompositionKey{columnOf(c.Label, c.Bucket), pages.CompAll} {
			r[k] += c.N
			all[k] += c.N
		}
	}
	words := map[string]string{}
	for _, s := range splits {
		words[s.ID] = s.Name
		if by == models.BySplit && rows[s.ID] == nil {
			rows[s.ID] = map[pages.CompositionKey]int{} // a split without a trace is one too
		}
	}
	names := make([]string, 0, len(rows))
	for n := range rows {
		names = append(names, n)
	}
	sort.Slice(names, func(i, j int) bool {
		a, b := rows[names[i]][pages.CompAll], rows[names[j]][pages.CompAll]
		return a > b || a == b && names[i] < names[j]
	})
	out := make([]pages.CompositionRow, 0, len(names)+1)
	for _, n := range names {
		row := compositionRow(rows[n], base, string(by), n)
		if row.Name = n; by == models.BySplit {
			row.Name = words[n]
		}
		out = append(out, row)
	}
	// Where traces are in several splits their lines do not add up to all.
	if len(out) > 0 && all[pages.CompAll] == total {
		row := compositionRow(all, base, "", "")
		row.Total = true
		out = append(out, row)
	}
	return out
}

// compositionRow makes the counts of a line and where each leads.
func compositionRow(counts map[pages.CompositionKey]int, base, param, name string) pages.CompositionRow {
	row := pages.CompositionRow{Cells: map[pages.CompositionKey]pages.CountLink{}}
	for _, k := range pages.CompositionKeys {
		q := url.Values{}
		without := ""
		if param != "" && name == "" {
			without = param
		} else if param != "" {
			q.Set(param, name)
		}
		switch k {
		case pages.CompAll:
		case pages.CompAcceptable, pages.CompUnknown:
			q.Set("label", string(k))
		case pages.CompOther:
			q.Set("label", "defective")
			if without != "" {
				without += ","
			}
			without += "bucket"
		default:
			q.Set("label", "defective")
			q.Set("bucket", string(k))
		}
		if without != "" {
			q.Set("without", without)
		}
		href := base + "/traces"
		if len(q) > 0 {
			href += "?" + q.Encode()
		}
		row.Cells[k] = pages.CountLink{N: counts[k], Href: href}
	}
	return row
}

// shownLabelChanges bounds the changes of labels on the page of a dataset.
const shownLabelChanges = 20

func labelBatches(history []models.LabelBatch) []pages.LabelBatch {
	var out []pages.LabelBatch
	for _, b := range history {
		out = append(out, pages.LabelBatch{
			When: b.At, Author: b.Author, Reason: b.Reason, N: b.N,
			From: components.Truth{Label: trace.Label(b.OldLabel), Bucket: trace.Bucket(b.OldBucket)},
			To:   components.Truth{Label: trace.Label(b.Label), Bucket: trace.Bucket(b.Bucket), From: trace.LabelSource(b.Source)},
		})
	}
	return out
}
