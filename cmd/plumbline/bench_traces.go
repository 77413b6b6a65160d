package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"time"

	"plumbline/handlers"
	"plumbline/models"
	"plumbline/models/modelstest"
)

type benchTracesCmd struct {
	Traces int  `help:"Traces of the dataset." default:"100000"`
	Rounds int  `help:"Requests of each list; the median is reported." default:"9"`
	All    bool `help:"Measure every filter under every sort as well."`
	JSON   bool `help:"Print the figures as JSON." name:"json"`
}

// tracesFigures are what bench traces measures.
type tracesFigures struct {
	machine
	Traces int          `json:"traces"`
	FillS  float64      `json:"fill_s"`
	Lists  []listFigure `json:"lists"`
	Worst  listFigure   `json:"worst"`
}

// listFigure is one list: what its URL asks for, and the time to the first byte of
// its page, in milliseconds.
type listFigure struct {
	Query   string  `json:"query"`
	Median  float64 `json:"median_ms"`
	Slowest float64 `json:"slowest_ms"`
	Bytes   int     `json:"page_bytes"`
}

// Run fills a store and times every list of its traces.
func (c *benchTracesCmd) Run(ctx context.Context, g *Globals, std streams) (err error) {
	if c.Traces < 10 || c.Rounds < 1 {
		return errors.New("choose at least ten traces and one round")
	}
	a, end, err := scratchApp(ctx, g, std)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	out, err := c.measure(ctx, a)
	if err != nil {
		return err
	}
	if c.JSON {
		return writeJSON(std.out, out)
	}
	fmt.Fprintf(std.out, "%s\n", out.machine)
	fmt.Fprintf(std.out, "%d traces, filled in %.1f s; medians of %d\n", out.Traces, out.FillS, c.Rounds)
	say := func(l listFigure) {
		fmt.Fprintf(std.out, "%6.1f ms (slowest %6.1f)  %4d kB  %s\n", l.Median, l.Slowest, l.Bytes/1000, l.Query)
	}
	for _, l := range out.Lists {
		say(l)
	}
	fmt.Fprintln(std.out, "of these lists the slowest:")
	say(out.Worst)
	return nil
}

// listSorts are the columns a list can be sorted by, listFilters the filters it can
// have, with values that select few and many.
var (
	listSorts   = []string{"instance", "label", "repo", "agent", "model", "size", "steps", "cost", "outcome"}
	listFilters = []string{
		"label=defective", "label=unknown", "bucket=regression", "label=defective&without=bucket", "agent=2025-agent-007", "repo=umbra%2Fparser",
		"state=text", "state=null", "reason=unresolved", "reason=infra", "q=10123", "q=acme", "q=nowhere", "split={split}",
	}
)

func (c *benchTracesCmd) queries(split string) []string {
	out := []string{""}
	for _, s := range listSorts {
		out = append(out, "sort="+s, "sort=-"+s)
	}
	for _, f := range listFilters {
		if f == "split={split}" {
			f = "split=" + url.QueryEscape(split)
		}
		out = append(out, f)
		for _, s := range listSorts {
			if c.All {
				out = append(out, f+"&sort="+s, f+"&sort=-"+s)
			}
		}
	}
	// From the middle of a list on, and several filters at once.
	middle := "after=" + url.QueryEscape(modelstest.FilledTrace(c.Traces/2))
	out = append(out, middle, "sort=-cost&"+middle, "sort=outcome&"+middle, "state=text&sort=size&"+middle)
	return append(out, "agent=2025-agent-007&label=acceptable&repo=umbra%2Fparser&sort=-cost", "label=defective&state=text&q=acme&sort=size")
}

func (c *benchTracesCmd) measure(ctx context.Context, a *app) (out tracesFigures, err error) {
	start := time.Now()
	d, err := modelstest.FillTraces(ctx, a.store, c.Traces, 1)
	if err != nil {
		return out, err
	}
	out.Traces, out.FillS = c.Traces, time.Since(start).Seconds()
	v := models.LocalAdmin()
	splits, err := a.store.Splits(ctx, v, d.ID)
	if err != nil || len(splits) == 0 {
		return out, errors.Join(err, errors.New("the filled dataset has no split"))
	}
	p, err := a.store.Project(ctx, v, d.ProjectID)
	if err != nil {
		return out, err
	}
	h := handlers.New(handlers.Config{Store: a.store, Runner: a.runner, Ingest: a.ingest, Project: p, Log: a.log, Version: version()})
	defer h.Close()
	for _, q := range c.queries(splits[0].ID) {
		l, err := c.list(h, "/datasets/"+url.PathEscape(d.ID)+"/traces", q)
		if err != nil {
			return out, err
		}
		out.Lists = append(out.Lists, l)
	}
	out.Worst = slices.MaxFunc(out.Lists, func(a, b listFigure) int { return int(1000 * (a.Median - b.Median)) })
	page, err := c.list(h, "/datasets/"+url.PathEscape(d.ID), "")
	if err != nil {
		return out, err
	}
	page.Query = "the page of the dataset"
	out.Lists = append(out.Lists, page)
	out.machine, err = a.machine(ctx)
	return out, err
}

// list times one list over the rounds.
func (c *benchTracesCmd) list(h http.Handler, path, query string) (listFigure, error) {
	out := listFigure{Query: "?" + query}
	times := make([]float64, c.Rounds)
	for i := range times {
		w := &firstByte{ResponseRecorder: httptest.NewRecorder()}
		start := time.Now()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://127.0.0.1"+path+out.Query, nil))
		if w.Code != http.StatusOK || w.at.IsZero() {
			return out, fmt.Errorf("the list %s answers %d", out.Query, w.Code)
		}
		times[i], out.Bytes = float64(w.at.Sub(start))/1e6, w.Body.Len()
	}
	slices.Sort(times)
	n := len(times)
	out.Median, out.Slowest = (times[(n-1)/2]+times[n/2])/2, times[n-1]
	return out, nil
}

// firstByte notes when an answer begins.
type firstByte struct {
	*httptest.ResponseRecorder
	at time.Time
}

func (w *firstByte) Write(b []byte) (int, error) {
	if w.at.IsZero() && len(b) > 0 {
		w.at = time.Now()
	}
	return w.ResponseRecorder.Write(b)
}
