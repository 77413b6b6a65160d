package handlers

import (
	"github.com/labstack/echo/v4"

	"plumbline/static"
)

// routes is the product on one screen.
func (h *Handlers) routes(e *echo.Echo) {
	// Open to everybody.
	e.GET("/healthz", h.healthz)
	e.GET("/static/*", echo.WrapHandler(static.Handler()))
	e.GET("/login", h.loginShow)
	e.POST("/login", h.loginCreate)
	e.GET("/s/:token", h.shareShow)

	// Everything below has a viewer.
	e.POST("/logout", h.loginDelete)
	e.GET("/", h.homeShow)
	e.GET("/definitions", h.definitionsShow)
	e.GET("/search", h.searchShow)

	e.GET("/datasets/:id", h.datasetShow)
	e.GET("/datasets/:id/traces", h.tracesList)
	e.GET("/datasets/:id/label", h.labelManyNew)
	e.POST("/datasets/:id/label", h.labelManyCreate)
	e.GET("/datasets/:id/import", h.importNew)
	e.POST("/datasets/:id/import", h.importCreate)
	e.GET("/import", h.importNew)
	e.POST("/import", h.importCreate)
	e.GET("/imports/:id", h.importShow)
	e.GET("/imports/:id/report.json", h.importDownload)

	e.GET("/traces/:id", h.traceShow)
	e.GET("/traces/:id/diff", h.traceDiff)
	e.GET("/traces/:id/steps", h.traceSteps)
	e.GET("/traces/:id/patch.txt", h.tracePatch)
	e.GET("/traces/:id/belief", h.traceBelief)
	e.POST("/traces/:id/label", h.labelCreate)
	e.GET("/items/:id", h.itemShow)
	e.GET("/items/:id/tools", h.toolShow)
	e.POST("/items/:id/note", h.noteCreate)

	e.GET("/reviewers", h.reviewersList)
	e.GET("/reviewers/new", h.reviewerNew)
	e.POST("/reviewers", h.reviewerCreate)
	e.GET("/reviewers/:id", h.reviewerShow)
	e.POST("/settings/screening", h.screenThreshold)

	e.GET("/experiments/new", h.experimentNew)
	e.POST("/experiments/estimate", h.experimentEstimate)
	e.POST("/experiments", h.experimentCreate)
	e.GET("/experiments/:id", h.experimentShow)
	e.GET("/experiments/:id/results", h.experimentResults)
	e.GET("/experiments/:id/events", h.experimentEvents)
	e.POST("/experiments/:id/stop", h.experimentStop)
	e.POST("/experiments/:id/resume", h.experimentResume)
	h.exportRoutes(e)
	e.GET("/experiments/:id/tools", h.toolArms)
	e.GET("/experiments/:id/errors", h.errorsList)
	e.GET("/experiments/:id/errors.csv", h.errorsCSV)
	e.POST("/experiments/:id/share", h.shareCreate)
	e.POST("/shares/:id/revoke", h.shareRevoke)
	e.POST("/experiments/:id/audit", h.auditCreate)
	e.GET("/experiments/:id/freeze", h.freezeNew)
	e.POST("/experiments/:id/freeze", h.freezeCreate)
	e.GET("/freezes/:id", h.freezeShow)
	e.GET("/freezes/:id/manifest.json", h.freezeManifest)
	e.POST("/freezes/:id/runs", h.heldoutCreate)
	e.GET("/compare", h.compareShow)
	h.resultRoutes(e)

	e.GET("/experiments/:id/belief", h.beliefShow)
	e.GET("/experiments/:id/belief/episodes.csv", h.beliefEpisodesCSV)
	e.POST("/experiments/:id/control", h.controlCreate)
	e.GET("/experiments/:id/control", h.controlShow)
	e.POST("/experiments/:id/control/resume", h.controlResume)
	e.GET("/episodes/:id", h.episodeShow)
	e.GET("/critics", h.criticsList)
	e.GET("/critics/new", h.criticsNew)
	e.POST("/critics/import", h.criticsImport)
	e.GET("/critics/:id", h.criticsShow)
	e.GET("/critics/:id/errors", h.criticsErrors)
	e.GET("/critics/:id/episodes.csv", h.criticsEpisodesCSV)
	e.GET("/critics/:id/candidates/:candidate", h.criticsPath)
	e.POST("/critics/:id/delete", h.criticsDelete)

	h.cascadeRoutes(e)
	e.GET("/reviews/:id/patch.txt", h.reviewPatch)
	e.GET("/reviews/:id/review.json", h.reviewJSON)
}
