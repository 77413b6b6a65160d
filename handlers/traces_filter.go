package handlers

import (
	"net/url"
	"strings"

	"plumbline/models"
)

// traceFilter reads the filter of a list of traces from its URL.
func traceFilter(datasetID string, q url.Values) models.TraceFilter {
	return models.TraceFilter{
		DatasetID: datasetID, SplitID: q.Get("split"), Label: q.Get("label"), Bucket: q.Get("bucket"), Agent: q.Get("agent"),
		Repo: q.Get("repo"), PatchState: q.Get("state"), Reason: q.Get("reason"), Text: strings.TrimSpace(q.Get("q")),
	}
}

// traceListParams are the parameters that make up a list of traces: what a link to
// one of them carries, so that j and k go on in the same list.
var traceListParams = []string{"split", "label", "bucket", "agent", "repo", "state", "reason", "q", "sort"}

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

// quoteArg makes a shell argument of a name.
func quoteArg(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
