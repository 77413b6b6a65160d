package handlers

import (
	"net/url"
	"slices"
	"strings"

	"plumbline/models"
	"plumbline/web/components"
)

// traceFilter reads the filter of a list of traces from its URL.
func traceFilter(datasetID string, q url.Values) models.TraceFilter {
	return models.TraceFilter{
		DatasetID: datasetID, SplitID: q.Get("split"), Label: q.Get("label"), Bucket: q.Get("bucket"), Agent: q.Get("agent"),
		Repo: q.Get("repo"), Model: q.Get("model"), PatchState: q.Get("state"), Reason: q.Get("reason"), LabelSource: q.Get("source"),
		Text: strings.TrimSpace(q.Get("q")), Without: without(q),
	}
}

// without lists what must be empty: a value that a parameter of its own could not
// tell from "any".
func without(q url.Values) []string {
	return strings.FieldsFunc(q.Get("without"), func(r rune) bool { return r == ',' })
}

// traceListParams are the parameters that make up a list of traces: what a link to
// one of them carries, so that j and k go on in the same list.
var traceListParams = []string{"split", "label", "bucket", "agent", "repo", "model", "state", "reason", "source", "without", "q", "sort"}

// listQuery keeps the parameters of the list.
func listQuery(q url.Values) url.Values {
	out := url.Values{}
	for _, name := range traceListParams {
		if v := q.Get(name); v != "" {
			out.Set(name, v)
		}
	}
	return out
}

// filterQuery keeps the parameters of the filter alone.
func filterQuery(q url.Values) url.Values {
	out := listQuery(q)
	out.Del("sort")
	return out
}

// choose is the list with a parameter set to a value, or with the empty value to
// traces that have none.
func choose(path string, q url.Values, param, value string) string {
	rest := slices.DeleteFunc(without(q), func(name string) bool { return name == param })
	if value == "" {
		rest = append(rest, param)
	}
	out := url.Values{}
	for k, v := range q {
		out[k] = v
	}
	out.Del("without")
	if len(rest) > 0 {
		out.Set("without", strings.Join(rest, ","))
	}
	return components.With(path, out, param, value)
}

// anyOf is the list without the filter of a parameter.
func anyOf(path string, q url.Values, param string) string {
	out := url.Values{}
	for k, v := range q {
		out[k] = v
	}
	rest := slices.DeleteFunc(without(q), func(name string) bool { return name == param })
	out.Del("without")
	if len(rest) > 0 {
		out.Set("without", strings.Join(rest, ","))
	}
	return components.With(path, out, param, "")
}

// quoteArg makes a shell argument of a name.
func quoteArg(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
