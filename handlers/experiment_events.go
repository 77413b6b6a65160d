package handlers

import (
	"bytes"
	"fmt"
	"net/http"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"plumbline/models"
	"plumbline/web/pages"
)

const (
	resultsEvery   = 3 * time.Second // at most this often the results of a running experiment are drawn anew
	heartbeatEvery = 15 * time.Second
	paceWindow     = 30 * time.Second
)

// experimentEvents streams the progress of an experiment: "progress" with the
// state line, "results" when the results should be asked for again, and "end"
// when nothing will change by itself any more.
func (h *Handlers) experimentEvents(c echo.Context) error {
	ctx, v := c.Request().Context(), viewer(c)
	e, err := h.store.Experiment(ctx, v, c.Param("id"))
	if err != nil {
		return err
	}
	edit := v.CanEdit(e.ProjectID)
	states, cancel := h.hub.watch(e.ID)
	defer cancel()
	w := c.Response()
	// A stream outlives the server's write limit.
	if err := http.NewResponseController(w).SetWriteDeadline(time.Time{}); err != nil {
		h.log.Debug("no write deadline to lift", "err", err)
	}
	w.Header().Set(echo.HeaderContentType, "text/event-stream")
	w.Header().Set(echo.HeaderCacheControl, "no-store")
	w.Header().Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	w.Flush()

	beat := time.NewTicker(heartbeatEvery)
	defer beat.Stop()
	var pace pacer
	var last models.Progress
	var drawn time.Time
	drawnDone := 0
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-beat.C:
			if _, err := fmt.Fprint(w, ": still here\n\n"); err != nil {
				return nil
			}
			w.Flush()
		case p, ok := <-states:
			if !ok {
				return nil // the server ends; the browser will come back
			}
			now := h.now()
			pace.add(now, p.Votes)
			ended := !statusOf(p).Active()
			if !same(p, last) || ended {
				last = p
				line := h.stateView(e.ID, p, edit, pace.perSecond())
				if err := sendEvent(c, "progress", pages.ExperimentProgress(line)); err != nil {
					return nil
				}
			}
			if finished := p.Done + p.Error + p.Blocked; ended || (finished != drawnDone && now.Sub(drawn) >= resultsEvery) {
				drawn, drawnDone = now, finished
				if err := sendEvent(c, "results", nil); err != nil {
					return nil
				}
			}
			if ended {
				// The client asks for the results before it closes the stream.
				_ = sendEvent(c, "end", nil)
				return nil
			}
		}
	}
}

// same reports whether the state line would look the same.
func same(a, b models.Progress) bool {
	return a.State == b.State && a.Done == b.Done && a.Running == b.Running && a.Error == b.Error && a.Blocked == b.Blocked && a.Votes == b.Votes
}

// sendEvent writes one event; every line of the component becomes a data line.
func sendEvent(c echo.Context, name string, component templ.Component) error {
	var body bytes.Buffer
	if component != nil {
		if err := component.Render(c.Request().Context(), &body); err != nil {
			return err
		}
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "event: %s\n", name)
	for line := range bytes.Lines(append(body.Bytes(), '\n')) {
		out.WriteString("data: ")
		out.Write(bytes.TrimRight(line, "\r\n"))
		out.WriteByte('\n')
	}
	out.WriteByte('\n')
	if _, err := c.Response().Write(out.Bytes()); err != nil {
		return err
	}
	c.Response().Flush()
	return nil
}

// pacer estimates votes per second from the counts of the last half minute.
type pacer struct {
	at    []time.Time
	votes []int64
}

func (p *pacer) add(now time.Time, votes int64) {
	p.at, p.votes = append(p.at, now), append(p.votes, votes)
	for len(p.at) > 2 && now.Sub(p.at[0]) > paceWindow {
		p.at, p.votes = p.at[1:], p.votes[1:]
	}
}

// perSecond is nil until two seconds have been seen.
func (p *pacer) perSecond() *float64 {
	n := len(p.at) - 1
	if n < 1 {
		return nil
	}
	span := p.at[n].Sub(p.at[0]).Seconds()
	if span < 2 {
		return nil
	}
	rate := float64(p.votes[n]-p.votes[0]) / span
	return &rate
}
