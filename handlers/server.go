package handlers

import (
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"
)

// Server is the web server's handler and what must end with it.
type Server struct {
	http.Handler
	hub *progressHub
}

// New builds the web server.
func New(c Config) *Server {
	h := newHandlers(c)
	e := echo.New()
	e.HideBanner, e.HidePort = true, true
	e.HTTPErrorHandler = h.handleError
	h.middleware(e)
	h.routes(e)
	return &Server{headAsGet(e), h.hub}
}

// Close ends open event streams, which a shutdown would otherwise wait for.
func (s *Server) Close() { s.hub.close() }

// HTTPServer wraps the handler with the time-outs of a server that strangers may
// reach. Event streams and uploads lift the write and read limits themselves.
func (s *Server) HTTPServer() *http.Server {
	return &http.Server{
		Handler: s, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 60 * time.Second,
		WriteTimeout: 120 * time.Second, IdleTimeout: 120 * time.Second, MaxHeaderBytes: 64 << 10,
	}
}

// Healthz answers for load balancers: 200 while the database answers.
func (h *Handlers) healthz(c echo.Context) error {
	ctx, cancel := context.WithTimeout(c.Request().Context(), 2*time.Second)
	defer cancel()
	if err := h.store.Ping(ctx); err != nil {
		h.log.Error("health check", "err", err)
		return c.String(http.StatusServiceUnavailable, "the database does not answer\n")
	}
	if alarm := h.runner.Alarm(); alarm != "" {
		return c.String(http.StatusServiceUnavailable, alarm+"\n")
	}
	return c.String(http.StatusOK, "ok\n")
}
