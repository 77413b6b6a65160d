// Package handlers serves the pages. It is the only package that knows echo. A
// handler binds to a private struct, makes one call, renders one view model and
// returns errors; errors.go maps them to what the reader sees.
package handlers

import (
	"log/slog"
	"time"

	"plumbline/models"
	"plumbline/runner"
	"plumbline/runner/checks"
	"plumbline/runner/ingest"
)

// Config of the web server. Everything but Labels, Mirrors and Password
// is needed.
type Config struct {
	Store   *models.Store
	Runner  *runner.Runner
	Ingest  *ingest.Ingest
	Labels  *checks.Labeller // nil: no label run can be started here
	Mirrors string           // folder of repositories that label runs take base trees from
	Project models.Project   // the project that a server without accounts works in
	Log     *slog.Logger
	Version string
	// Password is the argon2id hash of the admin password. Empty means that
	// whoever reaches the server is its only user, which serve allows on loopback
	// alone.
	Password string
	// Secure marks cookies for HTTPS only.
	Secure bool
	// MaxUpload caps one upload in bytes; 0 takes 20 GiB.
	MaxUpload int64
}

// Handlers holds what handlers share.
type Handlers struct {
	store    *models.Store
	runner   *runner.Runner
	ingest   *ingest.Ingest
	labels   *checks.Labeller
	mirrors  string
	project  models.Project
	log      *slog.Logger
	version  string
	password string
	secure   bool
	upload   int64
	hub      *progressHub
	results  *resultCache
	beliefs  *beliefCache
	now      func() time.Time
}

func newHandlers(c Config) *Handlers {
	if c.MaxUpload <= 0 {
		c.MaxUpload = 20 << 30
	}
	return &Handlers{
		store: c.Store, runner: c.Runner, ingest: c.Ingest, labels: c.Labels, mirrors: c.Mirrors, project: c.Project, log: c.Log, version: c.Version,
		password: c.Password, secure: c.Secure, upload: c.MaxUpload, hub: newProgressHub(c.Store, c.Log),
		results: newResultCache(c.Store, c.Runner), beliefs: newBeliefCache(), now: time.Now,
	}
}
