package pages

import (
	"time"

	"plumbline/web/components"
	"plumbline/web/layout"
)

// Home is the first page: what there is and what is going on.
type Home struct {
	Frame       layout.Frame
	Now         time.Time
	Datasets    []DatasetLine
	Experiments []ExperimentLine
	MoreURL     string // the whole list of experiments; empty when all are shown
	NewURL      string // new experiment; empty for viewers
	ImportURL   string // import; empty for viewers
	PollURL     string // this page, asked again for the list while one runs; empty: none does
	Sort        string
	SortURL     func(key string) string // nil: not sortable
}

// DatasetLine is one dataset of the home page.
type DatasetLine struct {
	Name, Href                     string
	Note                           string
	Bundled                        bool
	Instances, Traces              int
	Acceptable, Defective, Unknown int
	Added                          time.Time
}

// ExperimentLine is one experiment in a list.
type ExperimentLine struct {
	ID, Name, Href       string
	Kind                 string
	Dataset, DatasetHref string
	Split                string
	Status               components.Status
	Progress             components.Progress
	Arms, Votes          int
	ErrorsHref           string
	Badges               []components.Badge
	Started              time.Time
}

// errorRate is the share of the finished items that ended in an error; nil while
// none is finished.
func (e ExperimentLine) errorRate() *float64 {
	n := e.Progress.Done + e.Progress.Errors + e.Progress.Blocked
	if n == 0 {
		return nil
	}
	r := float64(e.Progress.Errors) / float64(n)
	return &r
}

func (h Home) frame() layout.Frame {
	f := h.Frame
	f.Live = h.PollURL != ""
	return f
}

func (h Home) head(c components.Column) components.Column {
	if h.SortURL == nil || c.Key == "" {
		return c
	}
	return Result{Sort: h.Sort, SortURL: h.SortURL}.sorted(c)
}

func (h Home) experimentTable() components.Table {
	t := components.Table{ID: "experiments", Caption: "Recent experiments", Columns: []components.Column{
		h.head(components.Column{Key: "name", Head: "Experiment", Primary: true}), {Head: "State"}, {Head: "Progress"},
		{Head: "Errors", Numeric: true, Metric: "errors"}, {Head: "Dataset"}, {Head: "Arms", Numeric: true}, {Head: "K", Numeric: true, Title: "votes for each trace and arm"},
		h.head(components.Column{Key: "started", Head: "Started", Numeric: true}),
	}, Empty: h.noExperiments()}
	for _, e := range h.Experiments {
		t.Rows = append(t.Rows, components.Row{ID: "x-" + e.ID, Cells: cells(
			experimentName(e), components.StatusMark(e.Status), lineProgress(e.Progress), errorShare(e), experimentData(e),
			components.Text(components.Count(e.Arms)), components.Text(components.Count(e.Votes)), components.When(e.Started, h.Now),
		)})
	}
	return t
}

func (h Home) noExperiments() components.Empty {
	switch {
	case len(h.Datasets) == 0:
		return components.Empty{Why: "No experiment yet: reviewers need traces to judge first."}
	case h.NewURL == "":
		return components.Empty{Why: "No experiment has been started yet."}
	}
	return components.Empty{Why: "No experiment has been started yet.", Text: "New experiment", Href: h.NewURL}
}

func (h Home) datasetTable() components.Table {
	t := components.Table{ID: "datasets", Caption: "Datasets", Columns: []components.Column{
		{Head: "Dataset", Primary: true}, {Head: "Instances", Numeric: true}, {Head: "Traces", Numeric: true},
		{Head: "○ Acceptable", Numeric: true}, {Head: "● Defective", Numeric: true}, {Head: "◌ Unknown", Numeric: true}, {Head: "Added", Numeric: true},
	}, Empty: components.Empty{Why: "No traces yet: import what agents did, with or without evaluation reports.", Text: "Import traces", Href: h.ImportURL,
		Code: "plumbline import PATH… --dataset NAME"}}
	if h.ImportURL == "" {
		t.Empty = components.Empty{Why: "No dataset has been imported yet."}
	}
	for _, d := range h.Datasets {
		t.Rows = append(t.Rows, components.Row{Cells: cells(
			datasetName(d), components.Text(components.Count(d.Instances)), components.Text(components.Count(d.Traces)),
			components.CountLink(d.Acceptable, ""), components.CountLink(d.Defective, ""), components.CountLink(d.Unknown, ""),
			components.When(d.Added, h.Now),
		)})
	}
	return t
}
