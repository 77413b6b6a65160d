package handlers

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"plumbline/experiments/published"
	"plumbline/experiments/stats"
	"plumbline/web/components"
	"plumbline/web/pages"
)

// publishedShow lists the printed results of the papers.
func (h *Handlers) publishedShow(c echo.Context) error {
	view := pages.Published{Frame: h.frame(c, "Published results"), Papers: publishedPapers()}
	view.Frame.Crumbs = crumbs("Home", "/")
	return render(c, http.StatusOK, pages.PublishedPage(view))
}

func publishedPapers() []pages.PublishedPaper {
	var out []pages.PublishedPaper
	for _, paper := range published.Papers() {
		p := pages.PublishedPaper{Letter: paper.Letter, Authors: paper.Authors, Title: paper.Title, Link: paper.Link}
		for _, t := range published.Tables() {
			if t.Paper.Letter == paper.Letter {
				p.Tables = append(p.Tables, publishedTable(t))
			}
		}
		out = append(out, p)
	}
	return out
}

func publishedTable(t published.Table) pages.PublishedTable {
	out := pages.PublishedTable{Key: t.Key, Cite: t.Cite(), Title: t.Title, Source: t.Source, Columns: t.Columns, Notes: t.Notes}
	for _, r := range t.Rows {
		out.Heads = len(r.Heads)
		out.Rows = append(out.Rows, append(append([]string(nil), r.Heads...), r.Cells...))
	}
	overlay, ok := published.OverlayByKey(t.Key)
	out.Overlay = ok
	for _, p := range overlay.Points {
		if p.Counts == nil {
			continue
		}
		d, a := p.Counts.Defect, p.Counts.Acceptable
		rate := func(m stats.Metric) components.Rate {
			r := wilsonRate(p.Counts.Rate(m))
			r.Metric = string(m)
			return r
		}
		out.Counts = append(out.Counts, pages.PublishedCounts{
			Name: p.Set, DefectReject: d.Reject, DefectAccept: d.Accept, DefectU: d.Uncertain, GoodReject: a.Reject, GoodAccept: a.Accept, GoodU: a.Uncertain,
			Coverage: rate(stats.Coverage), Risk: rate(stats.Risk), Catch: rate(stats.Catch), OverRejection: rate(stats.OverRejection),
		})
	}
	return out
}
