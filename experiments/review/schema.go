package review

import "encoding/json"

// SchemaName names the schema in requests for structured output.
const SchemaName = "review_decision"

// Schema is the JSON schema of an answer, in the subset that strict structured
// output takes: every property required, no others, no number limits. The
// decision stands after the rationale, so that it follows from it.
func Schema() json.RawMessage {
	return json.RawMessage(`{"type":"object","properties":{` +
		`"rationale":{"type":"string"},` +
		`"citations":{"type":"array","items":{"type":"object","properties":{"line":{"type":"integer"},"quote":{"type":"string"}},"required":["line","quote"],"additionalProperties":false}},` +
		`"decision":{"type":"string","enum":["accept","reject","uncertain"]},` +
		`"confidence":{"type":"number"}},` +
		`"required":["rationale","citations","decision","confidence"],"additionalProperties":false}`)
}
