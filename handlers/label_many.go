package handlers

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sort"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"plumbline/experiments/trace"
	"plumbline/models"
	"plumbline/web/components"
	"plumbline/web/pages"
)

// labelManyForm is the form that labels every trace of a list.
type labelManyForm struct {
	Label  string `form:"label"`
	Bucket string `form:"bucket"`
	Reason string `form:"reason"`
	Expect int64  `form:"expect"` // how many traces the author was shown
}

// labelManyNew shows what a bulk change would touch.
func (h *Handlers) labelManyNew(c echo.Context) error {
	view, err := h.labelMany(c, c.QueryParams(), labelManyForm{})
	if err != nil {
		return err
	}
	return render(c, http.StatusOK, pages.LabelPage(view))
}

// labelManyCreate labels what the filter selects, if it still selects what the
// author was shown.
func (h *Handlers) labelManyCreate(c echo.Context) error {
	var form labelManyForm
	if err := c.Bind(&form); err != nil {
		return err
	}
	// The filter is in the body, under names of its own beside those of the form.
	q := url.Values{}
	if err := c.Request().ParseForm(); err != nil {
		return echo.NewHTTPError(http.StatusBadRequest).SetInternal(err)
	}
	for _, name := range traceListParams {
		if v := c.Request().PostForm.Get("filter." + name); v != "" {
			q.Set(name, v)
		}
	}
	ctx, v, id := c.Request().Context(), viewer(c), c.Param("id")
	_, err := h.store.LabelTraces(ctx, v, models.BulkLabel{
		Filter: traceFilter(id, q), Label: trace.Label(form.Label), Bucket: trace.Bucket(form.Bucket), Reason: form.Reason, Expect: form.Expect,
	})
	if err == nil {
		return seeOther(c, "/datasets/"+url.PathEscape(id)+"#labels")
	}
	var invalid *models.InvalidError
	if !errors.As(err, &invalid) {
		return err
	}
	view, err := h.labelMany(c, q, form)
	if err != nil {
		return err
	}
	view.Label, view.Bucket, view.Errors = trace.Label(form.Label), trace.Bucket(form.Bucket), invalid.Fields
	view.Reason.Error = invalid.Fields["reason"]
	if why := invalid.Fields["filter"]; why != "" {
		view.Frame.Flash = append(view.Frame.Flash, components.Flash{Tone: components.Bad, Text: "Nothing was changed: " + why + "."})
	}
	return render(c, http.StatusUnprocessableEntity, pages.LabelPage(view))
}

// labelMany is the form for what a filter selects now.
func (h *Handlers) labelMany(c echo.Context, q url.Values, form labelManyForm) (view pages.Label, err error) {
	ctx, v := c.Request().Context(), viewer(c)
	d, err := h.store.Dataset(ctx, v, c.Param("id"))
	if err != nil {
		return view, err
	}
	if !v.CanEdit(d.ProjectID) {
		return view, models.ErrForbidden
	}
	held, err := h.store.LabelsBefore(ctx, v, traceFilter(d.ID, q))
	if err != nil {
		return view, err
	}
	base, n := "/datasets/"+url.PathEscape(d.ID), 0
	list, asked := base+"/traces", filterQuery(q)
	if len(asked) > 0 {
		list += "?" + asked.Encode()
	}
	view = pages.Label{
		Frame: h.frame(c, "Label traces"), Now: h.now(), Action: base + "/label", Cancel: list,
		Reason: components.Input{Name: "reason", Label: "Reason", Kind: "textarea", Rows: 3, Wide: true, Required: true, MaxLength: 4000, Value: form.Reason, Hint: "Kept with your name and the old label of each trace."},
	}
	view.Frame.Crumbs = crumbs(d.Name, base, "Traces", base+"/traces")
	for _, b := range held {
		n += b.N
		also := url.Values{}
		for k, vs := range asked {
			also[k] = vs
		}
		also.Set("label", b.Label)
		path := base + "/traces"
		href := choose(path, also, "source", b.Source)
		if b.Label == string(trace.Defective) {
			also.Set("source", b.Source)
			href = choose(path, also, "bucket", b.Bucket)
		}
		view.Held = append(view.Held, pages.LabelHeld{N: b.N, Href: href, Truth: components.Truth{
			Label: trace.Label(b.Label), Bucket: trace.Bucket(b.Bucket), From: trace.LabelSource(b.Source),
		}})
	}
	view.Many = components.Plural(n, "trace", "traces") + filterWords(q)
	view.Hidden = append(view.Hidden, components.Pair{Name: "expect", Value: strconv.Itoa(n)})
	for name, values := range asked {
		view.Hidden = append(view.Hidden, components.Pair{Name: "filter." + name, Value: values[0]})
	}
	sort.Slice(view.Hidden, func(i, j int) bool { return view.Hidden[i].Name < view.Hidden[j].Name })
	return view, nil
}

// filterWords says what a filter asks for, in words behind a count.
func filterWords(q url.Values) string {
	var parts []string
	for _, name := range traceListParams {
		if value := q.Get(name); value != "" && name != "sort" && name != "split" && name != "without" {
			word := map[string]string{"repo": "repository", "q": "an instance like", "state": "patch", "reason": "outcome", "source": "a label from"}[name]
			if word == "" {
				word = name
			}
			parts = append(parts, fmt.Sprintf("%s %s", word, value))
		}
	}
	if q.Get("split") != "" {
		parts = append(parts, "the chosen split")
	}
	for _, name := range without(q) {
		parts = append(parts, "no "+name)
	}
	if len(parts) == 0 {
		return " of this dataset"
	}
	return " with " + strings.Join(parts, " and ")
}
