package pages

import (
	"slices"
	"time"

	"plumbline/experiments/trace"
	"plumbline/web/components"
	"plumbline/web/layout"
)

// OutcomeKind names a list of traces behind a number; it is the value of the
// "kind" parameter.
type OutcomeKind string

// Kinds of lists. The first group are the mistakes the page is named for, the
// rest are the numerators of the other rates.
const (
	KindFalseRejections OutcomeKind = "false_rejections" // acceptable, decided reject or unparseable
	KindMisses          OutcomeKind = "misses"           // defective, decided accept or unparseable
	KindAbstentions     OutcomeKind = "abstentions"
	KindUnparseable     OutcomeKind = "unparseable"
	KindMisread         OutcomeKind = "misread"
	KindErrors          OutcomeKind = "errors"
	KindMissing         OutcomeKind = "missing"
	KindBlocked         OutcomeKind = "blocked"

	KindWrong       OutcomeKind = "wrong"
	KindCorrect     OutcomeKind = "correct"
	KindCatches     OutcomeKind = "catches"      // defective, decided reject
	KindGoodAccepts OutcomeKind = "good_accepts" // acceptable, decided accept
	KindDecided     OutcomeKind = "decided"
	KindRejected    OutcomeKind = "rejected"
	KindAccepted    OutcomeKind = "accepted"
	KindTies        OutcomeKind = "ties" // the largest vote count is shared
	KindAll         OutcomeKind = "all"
)

// OutcomeKinds lists every kind with its title and what it holds.
var OutcomeKinds = []struct {
	Kind        OutcomeKind
	Title, Says string
	Mistake     bool // offered as a tab
}{
	{KindFalseRejections, "False rejections", "Acceptable traces decided reject or unparseable.", true},
	{KindMisses, "Misses", "Defective traces decided accept or unparseable.", true},
	{KindAbstentions, "Abstentions", "Traces decided uncertain: the reviewer abstained, or its votes tied.", true},
	{KindUnparseable, "Unparseable", "Traces whose replies held no vote; decided, and always wrong.", true},
	{KindMisread, "Misread", "Traces with a vote whose reasons contradict what it cites.", true},
	{KindErrors, "Errors", "Items that ended without an answer; they are in no rate.", true},
	{KindMissing, "Missing", "Items that are not finished; they are in no rate.", true},
	{KindBlocked, "Blocked", "Items whose evidence held oracle content; nothing was asked.", true},
	{KindWrong, "Wrong decisions", "Misses and false rejections together.", false},
	{KindCorrect, "Correct decisions", "Defective traces decided reject and acceptable ones decided accept.", false},
	{KindCatches, "Catches", "Defective traces decided reject.", false},
	{KindGoodAccepts, "Good accepts", "Acceptable traces decided accept.", false},
	{KindDecided, "Decided", "Traces decided accept, reject or unparseable.", false},
	{KindRejected, "Rejected", "Traces decided reject.", false},
	{KindAccepted, "Accepted", "Traces decided accept.", false},
	{KindTies, "Ties", "Traces whose largest vote count is shared; decided uncertain.", false},
	{KindAll, "All items", "Every item of the experiment.", false},
}

// ParseOutcomeKind reads the "kind" parameter; anything unknown is false
// rejections, the list the page is opened for most.
func ParseOutcomeKind(s string) OutcomeKind {
	for _, k := range OutcomeKinds {
		if string(k.Kind) == s {
			return k.Kind
		}
	}
	return KindFalseRejections
}

// Title is the heading of a kind's list.
func (k OutcomeKind) Title() string {
	for _, o := range OutcomeKinds {
		if o.Kind == k {
			return o.Title
		}
	}
	return string(k)
}

func (k OutcomeKind) says() string {
	for _, o := range OutcomeKinds {
		if o.Kind == k {
			return o.Says
		}
	}
	return ""
}

// Errors is the list of traces behind one number of an experiment.
type Errors struct {
	Frame   layout.Frame
	Now     time.Time
	Kind    OutcomeKind
	Tabs    []KindTab // kinds with their counts under the current filters
	Filters []components.Filter
	Rows    []OutcomeLine
	Pager   components.Pager
	Total   int
	Group   string         // what is grouped by; empty: no groups
	GroupBy []layout.Link  // the groupings, the current one without an address
	Groups  []OutcomeGroup // counts that link to their traces
	CSVURL  string
	AllURL  string   // the list without filters
	Misread *Misread // on the list of misread traces
	Sort    string
	SortURL func(key string) string
}

// KindTab is a kind with the number of its traces.
type KindTab struct {
	Kind    OutcomeKind
	Count   *int // nil: not counted, e.g. not audited
	Why     string
	Href    string
	Current bool
}

// OutcomeLine is one arm × trace.
type OutcomeLine struct {
	Instance, Href string // the trace, opened at this arm
	Repo, Agent    string
	Truth          components.Truth
	Decision       components.Mark
	Votes          []components.Square
	Arm            string
	ArmIndex       int
	Added, Removed *int // lines of the patch; nil: cannot be counted
	Error          string
	Flag           *Flag // the first contradiction, on the list of misread traces
	Note           Note
	At             time.Time
}

func (o OutcomeLine) wrong() bool { return components.Wrong(o.Decision, o.Truth.Label) }

// OutcomeGroup counts the traces of the list in one group, and all finished items
// of the group, so that a large group does not look bad for its size.
type OutcomeGroup struct {
	Name  string
	Count int
	Of    int // finished items of the group; 0: not known
	Href  string
}

func (g OutcomeGroup) share() *float64 {
	if g.Of == 0 {
		return nil
	}
	v := float64(g.Count) / float64(g.Of)
	return &v
}

func (e Errors) table() components.Table {
	head := func(c components.Column) components.Column {
		if e.SortURL == nil || c.Key == "" {
			return c
		}
		return Result{Sort: e.Sort, SortURL: e.SortURL}.sorted(c)
	}
	t := components.Table{ID: "outcomes", Middle: true, Caption: e.Kind.Title(), Pager: e.Pager, Empty: e.empty(), Columns: []components.Column{
		head(components.Column{Key: "instance", Head: "Trace", Primary: true}), {Head: "Votes"}, {Head: "Decision"}, {Head: "Truth"},
		head(components.Column{Key: "repo", Head: "Repository"}), head(components.Column{Key: "agent", Head: "Agent"}),
		head(components.Column{Key: "arm", Head: "Arm"}), head(components.Column{Key: "size", Head: "Patch", Numeric: true, Title: "lines added and removed"}),
	}}
	if e.Kind == KindErrors {
		t.Columns = append(t.Columns, components.Column{Head: "What happened"})
	}
	if e.Kind == KindMisread {
		t.Columns = append(t.Columns, components.Column{Head: "Contradiction"})
	}
	t.Columns = append(t.Columns, components.Column{Head: "Note"})
	const repo, agent = 4, 5
	if e.Kind == KindMisread { // two lines of text need their room
		t.Columns = slices.Delete(t.Columns, repo, agent+1)
	}
	for _, o := range e.Rows {
		row := cells(outcomeName(o), components.VoteStrip(o.Votes), components.DecisionChip(o.Decision, o.wrong()), components.TruthMark(o.Truth),
			oneLine(o.Repo), oneLine(o.Agent), outcomeArm(o), outcomePatch(o))
		if e.Kind == KindMisread {
			row = slices.Delete(row, repo, agent+1)
		}
		switch e.Kind {
		case KindErrors:
			row = append(row, example(o.Error))
		case KindMisread:
			row = append(row, flagPair(o.Flag))
		}
		row = append(row, noteCell(o.Note, e.Now))
		t.Rows = append(t.Rows, components.Row{Cells: row})
	}
	return t
}

func (e Errors) empty() components.Empty {
	why := "No trace is in this list"
	filtered := false
	for _, f := range e.Filters {
		filtered = filtered || f.Clear != ""
	}
	if filtered && e.AllURL != "" {
		return components.Empty{Why: why + " under these filters.", Text: "Remove the filters", Href: e.AllURL}
	}
	switch e.Kind {
	case KindMisses, KindFalseRejections, KindWrong, KindUnparseable, KindErrors, KindBlocked, KindMisread:
		return components.Empty{Why: why + ", which is good news once every item is finished."}
	}
	return components.Empty{Why: why + "."}
}

func (e Errors) groupTable() components.Table {
	t := components.Table{ID: "groups", Caption: "By " + e.Group, Plain: true, Compact: true, Columns: []components.Column{
		{Head: e.Group}, {Head: e.Kind.Title(), Numeric: true}, {Head: "Of finished", Numeric: true}, {Head: "Share", Numeric: true},
	}}
	for _, g := range e.Groups {
		of := components.Text(components.Count(g.Of))
		if g.Of == 0 {
			of = components.Undefined("not counted")
		}
		t.Rows = append(t.Rows, components.Row{Cells: cells(components.Text(components.FirstLine(g.Name, 80)), components.CountLink(g.Count, g.Href), of, groupShare(g))})
	}
	return t
}

// TruthOf is the truth of a row from its stored words.
func TruthOf(label, bucket string) components.Truth {
	return components.Truth{Label: trace.Label(label), Bucket: trace.Bucket(bucket)}
}
