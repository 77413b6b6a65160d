package handlers

import (
	"net/http"
	"path"

	"github.com/labstack/echo/v4"

	"plumbline/models"
	"plumbline/runner"
	"plumbline/web/pages"
)

// exportRoutes has one address for each file that can be downloaded, with the
// file's name at its end.
func (h *Handlers) exportRoutes(e *echo.Echo) {
	e.GET("/experiments/:id/exports", h.experimentExports)
	e.GET("/datasets/:id/exports", h.datasetExports)
	for _, f := range runner.Exports() {
		e.GET("/experiments/:id/"+f.Name, h.experimentExport)
		if f.Dataset {
			e.GET("/datasets/:id/"+f.Name, h.datasetExport)
		}
	}
}

// experimentExport streams one file of an experiment.
func (h *Handlers) experimentExport(c echo.Context) error {
	e, err := h.store.Experiment(c.Request().Context(), viewer(c), c.Param("id"))
	if err != nil {
		return err
	}
	return h.export(c, e.ID, runner.ExportSpec{Experiment: e.ID})
}

// datasetExport streams the traces that the filter of the list selects.
func (h *Handlers) datasetExport(c echo.Context) error {
	d, err := h.store.Dataset(c.Request().Context(), viewer(c), c.Param("id"))
	if err != nil {
		return err
	}
	return h.export(c, d.ID, runner.ExportSpec{Traces: traceFilter(d.ID, c.QueryParams())})
}

// export sends a file. An error before its first byte is an error page; one after
// it breaks the connection, so that half a file is never taken for a whole one.
func (h *Handlers) export(c echo.Context, id string, spec runner.ExportSpec) error {
	spec.Format = path.Base(c.Path())
	f, ok := runner.FindExport(spec.Format)
	if !ok {
		return models.ErrNotFound
	}
	out := newDownload(c, id+"-"+f.Name, f.Media)
	_, err := h.runner.Export(c.Request().Context(), viewer(c), spec, out)
	if err != nil && out.begun {
		h.log.Warn("export broke off", "format", f.Name, "err", err)
		panic(http.ErrAbortHandler)
	}
	if err == nil {
		out.begin() // a file may be empty
	}
	return err
}

// experimentExports lists the files of an experiment.
func (h *Handlers) experimentExports(c echo.Context) error {
	ctx, v := c.Request().Context(), viewer(c)
	e, err := h.store.Experiment(ctx, v, c.Param("id"))
	if err != nil {
		return err
	}
	d, err := h.store.Dataset(ctx, v, e.DatasetID)
	if err != nil {
		return err
	}
	view := pages.Exports{
		Frame:   h.frame(c, "Exports of "+e.Name),
		Command: "plumbline export " + e.ID + " --format votes.parquet -o votes.parquet",
		Files:   exportFiles(experimentURL(e.ID), "", false),
	}
	view.Frame.Crumbs = crumbs("Home", "/", d.Name, "/datasets/"+d.ID, e.Name, experimentURL(e.ID))
	view.Frame.Badges = badgesOf(e, false)
	return render(c, http.StatusOK, pages.ExportsPage(view))
}

// datasetExports lists the files of a dataset, of the traces that a filter selects.
func (h *Handlers) datasetExports(c echo.Context) error {
	ctx, v := c.Request().Context(), viewer(c)
	d, err := h.store.Dataset(ctx, v, c.Param("id"))
	if err != nil {
		return err
	}
	n, err := h.store.CountTraces(ctx, v, traceFilter(d.ID, c.QueryParams()))
	if err != nil {
		return err
	}
	base, query := "/datasets/"+d.ID, ""
	if q := listQuery(c.QueryParams()); len(q) > 0 {
		query = "?" + q.Encode()
	}
	view := pages.Exports{
		Frame: h.frame(c, "Exports of "+d.Name), Traces: &n, Filtered: query != "", List: base + "/traces" + query,
		Command: "plumbline export " + quoteArg(d.Name) + " --format traces.jsonl -o traces.jsonl",
		Files:   exportFiles(base, query, true),
	}
	view.Frame.Crumbs = crumbs("Home", "/", d.Name, base, "Traces", base+"/traces"+query)
	return render(c, http.StatusOK, pages.ExportsPage(view))
}

func exportFiles(base, query string, dataset bool) []pages.ExportFile {
	var out []pages.ExportFile
	for _, f := range runner.Exports() {
		if !dataset || f.Dataset {
			out = append(out, pages.ExportFile{Name: f.Name, Holds: f.Holds, Href: base + "/" + f.Name + query})
		}
	}
	return out
}
