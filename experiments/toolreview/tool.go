package toolreview

import "encoding/json"

// Tool is a tool as it is offered to a model. Parameters is a JSON schema.
type Tool struct {
	Name        string
	Description string
	Parameters  json.RawMessage
}

// Names of the tools.
const (
	ReadFile = "read_file"
	Search   = "search"
	RunTool  = "run"
	Decide   = "decide"
)

// Tools lists the tools in the order in which they are offered. Decide gives the
// verdict; it is performed by nobody.
func Tools() []Tool {
	schema := func(s string) json.RawMessage { return json.RawMessage(s) }
	return []Tool{
		{ReadFile, "Show lines of a file of the patched repository with their numbers, or list a folder.", schema(`{"type":"object","properties":{` +
			`"path":{"type":"string","description":"from the root of the repository"},` +
			`"from":{"type":"integer","description":"first line, default 1"},"to":{"type":"integer","description":"last line, default 200 lines after the first"}},"required":["path"]}`)},
		{Search, "Search the patched repository for an extended regular expression; at most 100 lines are shown.", schema(`{"type":"object","properties":{` +
			`"pattern":{"type":"string"},"path":{"type":"string","description":"file or folder, default the whole repository"}},"required":["pattern"]}`)},
		{RunTool, "Run a shell command at the root of a fresh copy of the patched repository, without network. Nothing that it changes is kept for the next command.",
			schema(`{"type":"object","properties":{"command":{"type":"string"}},"required":["command"]}`)},
		{Decide, "Give the verdict and end the review. Call it alone.", schema(`{"type":"object","properties":{` +
			`"rationale":{"type":"string","description":"two to five sentences"},` +
			`"citations":{"type":"array","items":{"type":"object","properties":{"line":{"type":"integer"},"quote":{"type":"string"}},"required":["line","quote"]}},` +
			`"decision":{"type":"string","enum":["accept","reject","uncertain"]},"confidence":{"type":"number"}},"required":["rationale","citations","decision","confidence"]}`)},
	}
}
