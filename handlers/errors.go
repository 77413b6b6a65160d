package handlers

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sort"
	"strings"

	"github.com/labstack/echo/v4"

	"plumbline/experiments/freeze"
	"plumbline/models"
	"plumbline/web/layout"
	"plumbline/web/pages"
)

// answer is what the reader of an error sees: what happened, and what to do.
type answer struct {
	code   int
	what   string
	todo   string
	fields map[string]string
}

// answerTo is the one table from errors to answers. What is not in it is
// internal: its text stays in the log.
func answerTo(err error) answer {
	var invalid *models.InvalidError
	var binding *echo.BindingError
	var httpErr *echo.HTTPError
	var tooLarge *http.MaxBytesError
	var changed *freeze.ChangedError
	switch {
	case errors.As(err, &changed):
		return answer{code: http.StatusConflict, what: strings.ToUpper(changed.Error()[:1]) + changed.Error()[1:] + ".", todo: "Undo the change, or freeze the design again."}
	case errors.As(err, &invalid):
		return answer{http.StatusUnprocessableEntity, fieldText(invalid.Fields), "Go back, mend it, and send the form again.", invalid.Fields}
	case errors.Is(err, models.ErrNotFound):
		return notFound
	case errors.Is(err, models.ErrForbidden):
		return answer{code: http.StatusForbidden, what: "You may look at this, and not change it.", todo: "Ask an editor of the project."}
	case errors.Is(err, models.ErrConflict):
		return answer{code: http.StatusConflict, what: "The state has changed in the meantime.", todo: "Load the page again and look before you repeat it."}
	case errors.Is(err, models.ErrStorageFull):
		return answer{code: http.StatusInsufficientStorage, what: "The database is full. Nothing stored so far is lost.", todo: "Free disk space, then try again."}
	case errors.As(err, &binding):
		return answer{code: http.StatusBadRequest, what: fmt.Sprintf("The value of %q in the address cannot be read.", binding.Field), todo: "Follow a link to the page instead of editing its address."}
	case errors.As(err, &tooLarge):
		return httpAnswer(http.StatusRequestEntityTooLarge)
	case errors.As(err, &httpErr):
		return httpAnswer(httpErr.Code)
	case errors.Is(err, context.DeadlineExceeded):
		return answer{code: http.StatusGatewayTimeout, what: "The database took too long.", todo: "Narrow the selection, or try again."}
	}
	return answer{code: http.StatusInternalServerError, what: "Something failed on the server.", todo: "Try again. The server's log has the cause under the request id below."}
}

var notFound = answer{code: http.StatusNotFound, what: "There is no such page, or it is not yours to see.", todo: "Look for it from the start page."}

func httpAnswer(code int) answer {
	switch code {
	case http.StatusNotFound:
		return notFound
	case http.StatusMethodNotAllowed:
		return answer{code: code, what: "This address does not take that kind of request.", todo: "Use the page's own links and buttons."}
	case http.StatusRequestEntityTooLarge:
		return answer{code: code, what: "What was sent is larger than this page takes.", todo: "Send less at once, or use the command line for large imports."}
	case http.StatusForbidden:
		return answer{code: code, what: "The form came from another page or is too old.", todo: "Load the page again and repeat it."}
	case http.StatusUnauthorized:
		return answer{code: code, what: "You are not signed in.", todo: "Sign in and repeat it."}
	case http.StatusMisdirectedRequest:
		return answer{code: code, what: "This server has no password and answers to its local name only.", todo: "Open it as 127.0.0.1 or localhost, or start it with --auth."}
	case http.StatusBadRequest:
		return answer{code: code, what: "The form could not be read.", todo: "Load the page again and repeat it."}
	}
	return answer{code: code, what: http.StatusText(code) + ".", todo: "Go back to the start page."}
}

func fieldText(fields map[string]string) string {
	names := make([]string, 0, len(fields))
	for name := range fields {
		names = append(names, name)
	}
	sort.Strings(names)
	parts := make([]string, len(names))
	for i, name := range names {
		parts[i] = strings.ReplaceAll(name, "_", " ") + ": " + fields[name]
	}
	return strings.Join(parts, ". ") + "."
}

// handleError is echo's error handler: a page for people, JSON for programs, a
// line for parts of pages.
func (h *Handlers) handleError(err error, c echo.Context) {
	if c.Response().Committed || errors.Is(err, context.Canceled) {
		return
	}
	// The time limit of the handler is over by now; the answer to its end is not.
	c.SetRequest(c.Request().WithContext(context.WithoutCancel(c.Request().Context())))
	a := answerTo(err)
	id := c.Response().Header().Get(echo.HeaderXRequestID)
	if a.code >= 500 {
		h.log.Error("request failed", "id", id, "method", c.Request().Method, "route", c.Path(), "err", err)
	}
	var out error
	switch {
	case c.Request().Method == http.MethodHead:
		out = c.NoContent(a.code)
	case strings.HasPrefix(c.Request().URL.Path, "/api/"), strings.Contains(c.Request().Header.Get("Accept"), "application/json"):
		out = c.JSON(a.code, map[string]any{"error": a.what, "todo": a.todo, "fields": a.fields, "request_id": id})
	default:
		state := pages.State{Frame: h.frame(c, http.StatusText(a.code)), Code: a.code, What: a.what, Todo: a.todo}
		if a.code >= 500 {
			state.Request = id
		}
		if !state.Frame.Bare {
			state.Links = []layout.Link{{Text: "Start page", Href: "/"}}
		}
		out = render(c, a.code, pages.StatePage(state))
	}
	if out != nil {
		h.log.Error("error page not sent", "id", id, "err", out)
	}
}
