package components

import "strconv"

// Tone says what a badge, flash or note means; it selects wash and ink.
type Tone string

// Tones. Plain is the zero value.
const (
	Plain Tone = ""
	Good  Tone = "good"
	Note  Tone = "note"
	Warn  Tone = "warn"
	Bad   Tone = "bad"
)

// Badge is a small mark with one sentence of explanation, the same on every
// page, in exports and on share pages.
type Badge struct {
	Key  string // stable name for exports and tests: "simulated", "not-deployable" …
	Text string
	Why  string // one sentence; shown on hover and read to screen readers
	Tone Tone
}

// The marks that keep a page honest.
var (
	Simulated = Badge{"simulated", "simulated",
		"These votes come from a simulated reviewer with known error rates, not from a model.", Warn}
	Recorded = Badge{"recorded", "recorded",
		"These votes were recorded earlier and are replayed; no model was asked for this run.", Note}
	NotDeployable = Badge{"not-deployable", "not deployable",
		"The evidence contains outcomes of the official tests, which nobody has at review time; read the result as an upper bound.", Warn}
	DesignSplit = Badge{"design-split", "design split",
		"Choices were made on these traces, so the rates are optimistic; only held-out traces give an honest estimate.", Note}
	Unsandboxed = Badge{"unsandboxed", "unsandboxed",
		"Code of strangers ran without isolation from this machine.", Bad}
	Cached = Badge{"cached", "cached",
		"An earlier answer to the same question with the same vote index and seed was used again; it was billed once.", Note}
	UnknownPrice = Badge{"unknown-price", "unknown price",
		"No price is known for this model, so the cost is unknown; it is not zero.", Warn}
)

// EvaluatedTimes marks how often a frozen experiment was run on its held-out
// split. Once is as it should be; every further run weakens the claim.
func EvaluatedTimes(n int) Badge {
	switch n {
	case 0:
		return Badge{"evaluated", "not evaluated", "The frozen experiment has not been run on its held-out traces yet.", Note}
	case 1:
		return Badge{"evaluated", "evaluated once", "The frozen experiment was run on its held-out traces exactly once.", Good}
	}
	return Badge{"evaluated", "evaluated " + strconv.Itoa(n) + " times",
		"The frozen experiment was run on its held-out traces more than once; the reasons are listed on the page.", Warn}
}
