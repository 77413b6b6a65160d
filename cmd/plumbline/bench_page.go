package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"time"

	"plumbline/handlers"
	"plumbline/models"
	"plumbline/models/modelstest"
	"plumbline/runner"
)

type benchPageCmd struct {
	Traces int  `help:"Traces of the experiment." default:"5000"`
	Arms   int  `help:"Arms of the experiment; items are arms × traces." default:"8"`
	Votes  int  `help:"Votes an item." default:"5"`
	Rounds int  `help:"Requests of each kind; the median is reported." default:"20"`
	JSON   bool `help:"Print the figures as JSON." name:"json"`
}

// pageFigures are what bench page measures; times are medians in milliseconds.
type pageFigures struct {
	machine
	Votes     int     `json:"votes"`
	FillS     float64 `json:"fill_s"`
	MeasureMS float64 `json:"measure_ms"` // counts, rates, intervals, curves, anew each time
	ColdMS    float64 `json:"cold_page_ms"`
	PageMS    float64 `json:"page_ms"`
	PageBytes int     `json:"page_bytes"`
}

// Run fills a store and times what a reader of its result page waits for.
func (c *benchPageCmd) Run(ctx context.Context, g *Globals, std streams) (err error) {
	if c.Traces < 1 || c.Arms < 1 || c.Votes < 1 || c.Rounds < 1 {
		return errors.New("choose at least one trace, arm, vote and round")
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
	fmt.Fprintf(std.out, "%d votes, filled in %.1f s; medians of %d\n", out.Votes, out.FillS, c.Rounds)
	fmt.Fprintf(std.out, "measuring anew          %6.1f ms  counts, rates, 10,000 resamples, curves\n", out.MeasureMS)
	fmt.Fprintf(std.out, "page, nothing measured  %6.1f ms  the first reader after a vote or label changed\n", out.ColdMS)
	fmt.Fprintf(std.out, "page                    %6.1f ms  %d kB\n", out.PageMS, out.PageBytes/1000)
	return nil
}

func (c *benchPageCmd) measure(ctx context.Context, a *app) (out pageFigures, err error) {
	start := time.Now()
	e, err := modelstest.Fill(ctx, a.store, modelstest.Size{Traces: c.Traces, Arms: c.Arms, Votes: c.Votes, Attempts: 2}, 1)
	if err != nil {
		return out, err
	}
	out.Votes, out.FillS = c.Traces*c.Arms*c.Votes, time.Since(start).Seconds()
	v := models.LocalAdmin()
	if out.MeasureMS, err = c.median(func() error {
		_, err := a.runner.Results(ctx, v, e.ID, runner.ResultOptions{})
		return err
	}); err != nil {
		return out, err
	}
	p, err := a.store.Project(ctx, v, e.ProjectID)
	if err != nil {
		return out, err
	}
	open := func() *handlers.Server {
		return handlers.New(handlers.Config{Store: a.store, Runner: a.runner, Ingest: a.ingest, Project: p, Log: a.log, Version: version()})
	}
	get := func(h http.Handler) error {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://127.0.0.1/experiments/"+e.ID, nil))
		if w.Code != http.StatusOK {
			return fmt.Errorf("the page answers %d", w.Code)
		}
		out.PageBytes = w.Body.Len()
		return nil
	}
	// A new server has measured nothing yet.
	if out.ColdMS, err = c.median(func() error {
		h := open()
		defer h.Close()
		return get(h)
	}); err != nil {
		return out, err
	}
	h := open()
	defer h.Close()
	if err := get(h); err != nil {
		return out, err
	}
	if out.PageMS, err = c.median(func() error { return get(h) }); err != nil {
		return out, err
	}
	out.machine, err = a.machine(ctx)
	return out, err
}

// median times f over the rounds, in milliseconds.
func (c *benchPageCmd) median(f func() error) (float64, error) {
	times := make([]float64, c.Rounds)
	for i := range times {
		start := time.Now()
		if err := f(); err != nil {
			return 0, err
		}
		times[i] = float64(time.Since(start)) / 1e6
	}
	slices.Sort(times)
	n := len(times)
	return (times[(n-1)/2] + times[n/2]) / 2, nil
}
