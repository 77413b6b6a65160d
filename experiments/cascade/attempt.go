package cascade

// Attempt is one try at a generated test, as far as it got.
type Attempt struct {
	Generated
	Base     Result `json:"base,omitempty"`
	Feedback string `json:"feedback,omitempty"` // from the base run, for the next attempt
	Patched  Result `json:"patched,omitempty"`
}

// Kept reports whether the test counts: it fails on the base behaviourally.
func (a Attempt) Kept() bool { return a.Flaw == NoFlaw && a.Base == FailedTest }

// Discard is why the attempt does not count; empty while it does or may yet.
func (a Attempt) Discard() Discard {
	switch {
	case a.Flaw != NoFlaw:
		return Discard(a.Flaw)
	case a.Base == NotRun, a.Base == FailedTest:
		return ""
	}
	return discards[a.Base]
}

// Discard is a reason for which a test was not used.
type Discard string

var discards = map[Result]Discard{
	Passed:    "it passes on the base",
	SetUp:     "it fails on the base by set-up, import or build",
	TimedOut:  "it does not end on the base",
	NoneFound: "no test was collected on the base",
	Crashed:   "the run on the base broke off",
	Flaky:     "repetitions on the base disagree",
}
