package handlers

import (
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"plumbline/experiments/formats"
	"plumbline/models"
	"plumbline/web/components"
	"plumbline/web/pages"
)

// newDataset is the value of the dataset field that asks for a new one.
const newDataset = "new"

// importNew is the upload page, for one dataset or for one to choose.
func (h *Handlers) importNew(c echo.Context) error {
	view, err := h.importPage(c, importForm{Dataset: c.Param("id")}, fields{})
	if err != nil {
		return err
	}
	return render(c, http.StatusOK, pages.ImportPage(view))
}

// importForm is the form without its files.
type importForm struct {
	Dataset string
	Name    string
	Split   string
	Labels  string // column
	Format  string
}

// importPage is the upload page with what is wrong with it.
func (h *Handlers) importPage(c echo.Context, in importForm, bad fields) (pages.Import, error) {
	ctx, v := c.Request().Context(), viewer(c)
	if !v.CanEdit(h.project.ID) {
		return pages.Import{}, models.ErrForbidden
	}
	view := pages.Import{Frame: h.frame(c, "Import"), Action: "/import", MaxBytes: bytesWord(h.upload), Formats: readable, Error: bad["files"]}
	name := "NAME"
	if fixed := c.Param("id"); fixed != "" {
		d, err := h.store.Dataset(ctx, v, fixed)
		if err != nil {
			return view, err
		}
		name, view.Action = quoteArg(d.Name), "/datasets/"+url.PathEscape(d.ID)+"/import"
		view.Frame.Crumbs = crumbs(d.Name, "/datasets/"+url.PathEscape(d.ID))
	}
	all, err := h.store.Datasets(ctx, v)
	if err != nil {
		return view, err
	}
	view.Dataset = components.Input{Name: "dataset", Label: "Dataset", Kind: "select", Value: in.Dataset, Error: bad["dataset"]}
	for _, d := range all {
		if !d.Bundled || d.ID == in.Dataset {
			view.Dataset.Options = append(view.Dataset.Options, components.Choice{Value: d.ID, Text: d.Name})
		}
	}
	view.Dataset.Options = append(view.Dataset.Options, components.Choice{Value: newDataset, Text: "a new dataset"})
	if in.Dataset == "" && len(view.Dataset.Options) == 1 {
		view.Dataset.Value = newDataset
	}
	view.NewName = components.Input{Name: "name", Label: "Name of a new dataset", Value: in.Name, MaxLength: 200, Error: bad["name"]}
	view.Split = components.Input{Name: "split", Label: "Split", Value: in.Split, MaxLength: 100, Hint: "Traces of this import go into the split of that name: design, held-out, …", Error: bad["split"]}
	view.Labels = components.Input{Name: "labels", Label: "Label column", Value: in.Labels, MaxLength: 200, Hint: "Column of a table that labels the attempts: resolved, unresolved, omission, regression, no_change, unknown.", Error: bad["label_column"]}
	view.Format = components.Input{Name: "format", Label: "Format", Kind: "select", Value: in.Format, Error: bad["format"], Options: []components.Choice{{Value: "", Text: "decided from the content"}}}
	for _, f := range formats.Formats() {
		view.Format.Options = append(view.Format.Options, components.Choice{Value: string(f), Text: string(f)})
	}
	view.Command = "plumbline import PATH… --dataset " + name
	return view, nil
}

// readable is what the upload page says can be read.
var readable = []pages.FormatLine{
	{Name: "predictions", Holds: "JSONL, an array, an object keyed by instance"},
	{Name: "reports", Holds: "of the evaluation harness, per instance and per run"},
	{Name: "dataset rows", Holds: "SWE-bench and its relatives: issue, base commit, oracle"},
	{Name: "trajectories", Holds: "SWE-agent, mini-swe-agent, OpenHands, Moatless, AutoCodeRover, Claude Code, Codex and others"},
	{Name: "checks and votes", Holds: "SARIF, JUnit, ruff, pylint, pyflakes, flake8, recorded votes and decisions: read, counted, and kept out of the traces"},
}

// bytesWord writes a size in a word or two.
func bytesWord(n int64) string {
	switch {
	case n >= 1<<30:
		return components.Count(n>>30) + " GiB"
	case n >= 1<<20:
		return components.Count(n>>20) + " MiB"
	}
	return components.Plural(n, "byte", "bytes")
}
