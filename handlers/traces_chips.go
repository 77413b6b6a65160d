package handlers

import (
	"net/url"
	"slices"
	"sort"

	"plumbline/experiments/formats"
	"plumbline/experiments/trace"
	"plumbline/models"
	"plumbline/web/components"
)

// traceCounts are the counts beside the chips of a list.
type traceCounts struct {
	labels, agents, repos []models.TraceCount
	splits                []models.SplitCount
}

// traceFilters are the chips of the list. The counts of label, bucket, agent and
// repository are those the value would leave under the other three; under a split
// only labels and kinds of defect are counted.
func traceFilters(path string, q url.Values, n traceCounts) []components.Filter {
	labels, buckets := map[string]int{}, map[string]int{}
	label, bucket := q.Get("label"), q.Get("bucket")
	none := slices.Contains(without(q), "bucket")
	split := q.Get("split") != "" || slices.Contains(without(q), "split")
	for _, c := range n.labels {
		if (bucket == "" || c.Bucket == bucket) && (!none || c.Bucket == "") {
			labels[c.Value] += c.N
		}
		// Only a defect is of a kind, so that none named is asked of defects.
		if (label == "" || c.Value == label) && (c.Bucket != "" || c.Value == string(trace.Defective)) {
			buckets[c.Bucket] += c.N
		}
	}
	out := []components.Filter{
		chip(path, q, "label", "label", labels, nil),
		chip(path, q, "bucket", "defect", buckets, func(s string) string { return components.BucketWord(trace.Bucket(s)) }),
		uncounted(split, chip(path, q, "agent", "agent", countMap(n.agents), nil)),
		uncounted(split, chip(path, q, "repo", "repository", countMap(n.repos), nil)),
		fixedChip(path, q, "state", "patch", patchStates), fixedChip(path, q, "reason", "outcome", outcomeReasons),
		fixedChip(path, q, "source", "label from", labelSources),
	}
	sizes, names := map[string]int{}, map[string]string{}
	for _, s := range n.splits {
		sizes[s.ID], names[s.ID] = s.Traces, s.Name
	}
	out = append(out, chip(path, q, "split", "split", sizes, func(id string) string { return names[id] }))
	if q.Get("model") != "" { // no list of models is offered; a link may ask for one
		out = append(out, fixedChip(path, q, "model", "model", nil))
	}
	return out
}

// uncounted takes the counts off, where they are not those of the list.
func uncounted(yes bool, f components.Filter) components.Filter {
	for i := range f.Options {
		if yes {
			f.Options[i].Count = nil
		}
	}
	return f
}

func countMap(counts []models.TraceCount) map[string]int {
	out := make(map[string]int, len(counts))
	for _, c := range counts {
		out[c.Value] += c.N
	}
	return out
}

// chipOptions caps the values of one chip; the largest are kept.
const chipOptions = 100

// notNamed is the option of the empty value.
const notNamed = "not named"

func chip(path string, q url.Values, param, name string, counts map[string]int, word func(string) string) components.Filter {
	f := components.Filter{Name: name}
	current, blank := q.Get(param), slices.Contains(without(q), param)
	if current != "" || blank {
		f.Clear = anyOf(path, q, param)
		if _, there := counts[current]; !there {
			counts[current] = 0
		}
	}
	values := make([]string, 0, len(counts))
	for v := range counts {
		values = append(values, v)
	}
	sort.Slice(values, func(i, j int) bool {
		a, b := counts[values[i]], counts[values[j]]
		return a > b || a == b && values[i] < values[j]
	})
	for i, v := range values {
		selected := v == current && (v != "" || blank)
		if i >= chipOptions && !selected {
			continue
		}
		n, text := counts[v], v
		switch {
		case v == "":
			text = notNamed
		case word != nil:
			text = word(v)
		}
		f.Options = append(f.Options, components.FilterOption{Text: text, Href: choose(path, q, param, v), Count: &n, Selected: selected})
	}
	return f
}

// The values of these are known beforehand; counting them would read every trace of
// the dataset each time the list is shown.
var (
	patchStates = []string{
		string(trace.PatchText), string(trace.PatchEmpty), string(trace.PatchBlank), string(trace.PatchNull), string(trace.PatchAbsent),
		string(trace.PatchNoDiffFound), string(trace.PatchNone),
	}
	outcomeReasons = []string{
		formats.ReasonUnresolved, formats.ReasonEmptyPatch, formats.ReasonError, formats.ReasonInfra, formats.ReasonAmbiguous, formats.ReasonNotApplied, formats.ReasonTimeout, formats.ReasonNotSubmitted,
	}
	labelSources = []string{string(trace.Execution), string(trace.Imported), string(trace.Constructed), string(trace.Manual)}
)

// fixedChip offers fixed values without counts, and the current one whatever it is.
func fixedChip(path string, q url.Values, param, name string, values []string) components.Filter {
	f := components.Filter{Name: name}
	current, blank := q.Get(param), slices.Contains(without(q), param)
	if current != "" || blank {
		f.Clear = anyOf(path, q, param)
	}
	if current != "" && !slices.Contains(values, current) {
		values = append([]string{current}, values...)
	}
	for _, v := range values {
		f.Options = append(f.Options, components.FilterOption{Text: v, Href: choose(path, q, param, v), Selected: v == current})
	}
	if param != "state" { // every attempt has one
		f.Options = append(f.Options, components.FilterOption{Text: notNamed, Href: choose(path, q, param, ""), Selected: blank && current == ""})
	}
	return f
}
