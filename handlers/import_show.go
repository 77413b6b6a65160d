package handlers

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"sort"

	"github.com/labstack/echo/v4"

	"plumbline/models"
	"plumbline/runner/ingest"
	"plumbline/web/pages"
)

// importShow is the report of an import; while it runs the page asks again.
func (h *Handlers) importShow(c echo.Context) error {
	ctx, v := c.Request().Context(), viewer(c)
	rep, err := h.store.ImportReport(ctx, v, c.Param("id"))
	if err != nil {
		return err
	}
	d, err := h.store.Dataset(ctx, v, rep.DatasetID)
	if err != nil {
		return err
	}
	files, err := h.store.ImportSources(ctx, v, rep.ID)
	if err != nil {
		return err
	}
	here := "/imports/" + url.PathEscape(rep.ID)
	view := pages.ImportReport{
		Frame: h.frame(c, "Import"), Now: h.now(), State: rep.State, Message: rep.Message, Started: rep.CreatedAt,
	}
	view.Frame.Crumbs = crumbs(d.Name, "/datasets/"+url.PathEscape(d.ID))
	if rep.FinishedAt != nil {
		view.Finished = *rep.FinishedAt
	}
	if rep.State == models.ReportRunning {
		view.Refresh = here
		view.Message = "The files are being read."
		return render(c, http.StatusOK, pages.ImportReportPage(view))
	}
	var sum ingest.Summary
	if err := json.Unmarshal([]byte(rep.Summary), &sum); err != nil {
		return fmt.Errorf("read the report of import %s: %w", rep.ID, err)
	}
	view.JSON = here + "/report.json"
	fillReport(&view, sum, files, "/datasets/"+url.PathEscape(d.ID)+"/traces")
	return render(c, http.StatusOK, pages.ImportReportPage(view))
}

// Lists on the page are cut; the JSON has all of them.
const (
	shownFiles    = 200
	shownProblems = 500
)

func fillReport(view *pages.ImportReport, sum ingest.Summary, sources []models.ImportSource, traces string) {
	out := func(o models.Imported) int { return sum.Outcomes[o] }
	unknown, skipped := 0, 0
	for _, n := range sum.Read.UnknownOutcome {
		unknown += n
	}
	for _, n := range sum.Read.Skipped {
		skipped += n
	}
	conflicts := out(models.ImportConflict) + len(sum.Read.Conflicts)
	if sum.Column != nil {
		conflicts += sum.Column.Outcomes[models.ImportConflict]
	}
	view.Counts = []pages.ImportCount{
		{Name: "files", N: sum.Read.Files},
		{Name: "records read", N: sum.Read.Records},
		{Name: "new traces", N: out(models.ImportAdded), Href: traces, Title: "attempts that were not stored before"},
		{Name: "new attempts", N: out(models.ImportAttempt), Title: "another patch of a known agent at a known instance"},
		{Name: "completed", N: out(models.ImportCompleted), Title: "stored attempts that lacked something these files have"},
		{Name: "known already", N: out(models.ImportKnown), Title: "stored before, unchanged"},
		{Name: "joined", N: sum.Read.Joined, Title: "records that went into an attempt together with others"},
		{Name: "duplicates", N: sum.Read.Duplicates, Title: "equal attempts in several files, merged"},
		{Name: "unknown outcome", N: unknown, Title: "attempts without a judged outcome; in no rate"},
		{Name: "outcome without attempt", N: sum.Read.WithoutAttempt, Title: "outcomes of instances nobody attempted in these files"},
		{Name: "skipped", N: skipped, Title: "records that were read and left out"},
		{Name: "conflicts", N: conflicts, Bad: true, Href: "#conflicts"},
		{Name: "not read", N: sum.Read.Problems, Bad: true, Href: "#problems"},
	}
	if col := sum.Column; col != nil {
		view.Counts = append(view.Counts,
			pages.ImportCount{Name: "labels given", N: col.Outcomes[models.LabelGiven], Href: traces + "?source=imported", Title: "by the column " + col.Name},
			pages.ImportCount{Name: "labels known", N: col.Outcomes[models.LabelKnown], Title: "the trace had this label already"},
			pages.ImportCount{Name: "labels without trace", N: col.Outcomes[models.LabelNoTrace], Title: "rows of the column " + col.Name + " that fit no stored trace"},
			pages.ImportCount{Name: "blank labels", N: col.Blank, Title: "rows whose column " + col.Name + " is blank"},
		)
	}
	view.Reasons = append(reasonCounts(sum.Read.UnknownOutcome, "unknown outcome"), reasonCounts(sum.Read.Skipped, "skipped")...)
	for _, c := range sum.Read.Conflicts {
		view.Conflicts = append(view.Conflicts, pages.ImportProblem{Path: c.Where, Field: c.InstanceID, Message: c.Message})
	}
	for _, n := range sum.Notes {
		if n.Outcome == models.ImportConflict {
			view.Conflicts = append(view.Conflicts, pages.ImportProblem{Path: n.Agent, Field: n.InstanceID, Message: n.Message})
		}
	}
	hashes := map[string]models.ImportSource{}
	for _, s := range sources {
		hashes[s.Path] = s
	}
	problems := 0
	for i, f := range sum.Files {
		problems += len(f.Problems) + f.Dropped
		for _, p := range f.Problems {
			if len(view.Problems) < shownProblems {
				view.Problems = append(view.Problems, pages.ImportProblem{Path: f.Path, Line: p.Line, Field: p.Field, Message: p.Message})
			}
		}
		if i >= shownFiles {
			continue
		}
		line := pages.ImportFile{Path: f.Path, Format: string(f.Format), Problems: len(f.Problems) + f.Dropped, SHA256: hashes[f.Path].SHA256, Bytes: hashes[f.Path].Bytes}
		if f.Records != nil {
			line.Records = *f.Records
		}
		view.Files = append(view.Files, line)
	}
	view.More, view.FilesMore = problems-len(view.Problems), max(0, len(sum.Files)-shownFiles)
}

func reasonCounts(reasons map[string]int, of string) []pages.ReasonCount {
	names := make([]string, 0, len(reasons))
	for r := range reasons {
		names = append(names, r)
	}
	sort.Slice(names, func(i, j int) bool {
		return reasons[names[i]] > reasons[names[j]] || reasons[names[i]] == reasons[names[j]] && names[i] < names[j]
	})
	var out []pages.ReasonCount
	for _, r := range names {
		out = append(out, pages.ReasonCount{Reason: r, Says: of, N: reasons[r]})
	}
	return out
}
