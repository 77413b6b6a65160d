package formats

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"
	"unicode/utf8"

	"plumbline/experiments/patch"
	"plumbline/experiments/trace"
)

// Attempt is one agent's try at an instance, joined from all files that speak of
// it. An import can have hundreds of thousands, so it is kept small.
type Attempt struct {
	// Trace has the joined fields. Patch and Summary are filled only if the
	// Joiner keeps texts, Steps only if it keeps steps.
	Trace trace.Trace
	Patch PatchFacts
	Steps *int // nil when no source shows steps
	Repo  string
	Base  string
	// Main is the record that names the attempt: a trajectory if there is one.
	Main Pos
	// StepsAt, PatchAt and SummaryAt are the records that hold the texts; nil when
	// there is none. A second pass over the files fetches them. They may point into
	// Main.
	StepsAt, PatchAt, SummaryAt *Ref
	// All outcomes found, the best first.
	Outcomes []FoundOutcome
	joined   []SourceOf // further records
	predName string     // what the predictions call the system
	rare     *rare
	role     role // of Main; none when Main is among joined
	// predicted says that a prediction is among the sources.
	predicted bool
}

// rare are facts that few attempts have.
type rare struct {
	claimed   *bool
	stated    *trace.Outcome // a label that the source brings along
	folder    string
	finished  time.Time
	conflicts []string
	splits    []string
}

func (a *Attempt) seldom() *rare {
	if a.rare == nil {
		a.rare = &rare{}
	}
	return a.rare
}

func (a *Attempt) folder() string {
	if a.rare == nil {
		return ""
	}
	return a.rare.folder
}

func (a *Attempt) finished() time.Time {
	if a.rare == nil {
		return time.Time{}
	}
	return a.rare.finished
}

// Conflicts are disagreements between the sources, as sentences.
func (a *Attempt) Conflicts() []string {
	if a.rare == nil {
		return nil
	}
	return a.rare.conflicts
}

// Splits are the names of the splits that the source puts the attempt in.
func (a *Attempt) Splits() []string {
	if a.rare == nil {
		return nil
	}
	return a.rare.splits
}

func (a *Attempt) conflict(sentence string) {
	r := a.seldom()
	r.conflicts = append(r.conflicts, sentence)
}

// role is what a record is to an attempt.
type role uint8

const (
	roleNone role = iota
	roleTrajectory
	rolePrediction
	rolePatch
)

func (r role) String() string {
	return [...]string{"", "trajectory", "prediction", "patch"}[r]
}

// Sources are all records that were joined, with their role, the main one first.
func (a *Attempt) Sources() []SourceOf {
	if a.role == roleNone {
		return a.joined
	}
	return append([]SourceOf{{a.Main, a.role.String()}}, a.joined...)
}

// sources counts them.
func (a *Attempt) sources() int {
	if a.role == roleNone {
		return len(a.joined)
	}
	return 1 + len(a.joined)
}

// at is a record of a that another attempt takes over: a copy, since a pointer
// into a would keep all of a alive.
func at(r *Ref) *Ref {
	if r == nil {
		return nil
	}
	c := *r
	return &c
}

// SourceOf is a record that an attempt was joined from.
type SourceOf struct {
	Pos
	Role string // trajectory, prediction, patch, report, run report, log, part
}

// FoundOutcome is one published outcome of an attempt.
type FoundOutcome struct {
	Outcome trace.Outcome
	rank    int
	depth   int
	away    int
}

// PatchFacts are the countable facts of a patch.
type PatchFacts struct {
	State  trace.PatchState
	Note   string
	SHA256 string // hex, of the text as submitted; empty without a text
	Chars  int    // Unicode code points
	Bytes  int
	patch.Statistics
	change [16]byte // hash of the text without index lines and outer white space
}

// Facts measures a patch as submitted.
func Facts(state trace.PatchState, text string) PatchFacts { return factsOf(state, text, "") }

// factsOf measures a patch. Texts without any character count as no patch.
func factsOf(state trace.PatchState, text, note string) PatchFacts {
	f := PatchFacts{State: state, Note: note}
	if strings.TrimSpace(text) == "" {
		return f
	}
	sum := sha256.Sum256([]byte(text))
	f.SHA256, f.Chars, f.Bytes = hex.EncodeToString(sum[:]), utf8.RuneCountInString(text), len(text)
	f.Statistics, f.change = patch.Stats(text), changeHash(text)
	for i, p := range f.Files {
		f.Files[i] = strings.Clone(p) // the path must not keep the whole patch alive
	}
	return f
}

// same reports whether two patches are the same change; texts that say nothing
// are equal to each other.
func (f *PatchFacts) same(g *PatchFacts) bool { return f.change == g.change && f.told() && g.told() }

// changeHash ignores what differs between two prints of one change: the length
// of abbreviated object names, and line breaks around the text.
func changeHash(text string) (out [16]byte) {
	h := sha256.New()
	buf := make([]byte, 0, 8<<10) // many lines are hashed at once
	for line := range strings.Lines(strings.TrimSpace(text)) {
		if strings.HasPrefix(line, "index ") {
			continue
		}
		if len(buf)+len(line) > cap(buf) {
			h.Write(buf)
			buf = buf[:0]
		}
		buf = append(append(buf, strings.TrimRight(line, "\r\n")...), '\n')
		if cap(buf) > 1<<20 { // after a very long line
			h.Write(buf)
			buf = make([]byte, 0, 8<<10)
		}
	}
	h.Write(buf)
	copy(out[:], h.Sum(nil))
	return out
}

// told reports whether the source says what the patch was.
func (f *PatchFacts) told() bool {
	return f.State != "" && f.State != trace.PatchAbsent && f.State != trace.PatchNone && f.State != NotPublished
}
