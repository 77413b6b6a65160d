package handlers

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"
)

// download is a response that begins with the first byte of a file, so that an
// error before it can still become an error page.
type download struct {
	c           echo.Context
	name, media string
	begun       bool
	control     *http.ResponseController
}

// stalled is how long a reader may take none of a download.
const stalled = 2 * time.Minute

func newDownload(c echo.Context, name, media string) *download {
	return &download{c: c, name: name, media: media, control: http.NewResponseController(c.Response())}
}

func (d *download) begin() {
	if d.begun {
		return
	}
	d.begun = true
	head := d.c.Response().Header()
	head.Set(echo.HeaderContentType, d.media)
	head.Set(echo.HeaderContentDisposition, `attachment; filename="`+d.name+`"`)
	d.c.Response().WriteHeader(http.StatusOK)
}

// Write sends part of the file. A download may take longer than a page may, as
// long as it moves.
func (d *download) Write(p []byte) (int, error) {
	d.begin()
	_ = d.control.SetWriteDeadline(time.Now().Add(stalled)) // a test's recorder has none
	return d.c.Response().Write(p)
}
