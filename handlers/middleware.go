package handlers

import (
	"errors"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"

	"plumbline/models"
	"plumbline/web/layout"
)

const sessionCookie = "plumbline_session"

// contentPolicy lets a page load what the program itself serves and nothing else.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
	"connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

func (h *Handlers) middleware(e *echo.Echo) {
	// No proxy is trusted: the address that throttles logins is the peer's own.
	e.IPExtractor = echo.ExtractIPDirect()
	e.Use(middleware.RequestIDWithConfig(middleware.RequestIDConfig{TargetHeader: echo.HeaderXRequestID}))
	e.Use(h.logRequests())
	e.Use(middleware.RecoverWithConfig(middleware.RecoverConfig{DisablePrintStack: true, LogErrorFunc: func(c echo.Context, err error, stack []byte) error {
		h.log.Error("panic in a handler", "route", c.Path(), "err", err, "stack", string(stack))
		return err
	}}))
	e.Use(secureHeaders)
	e.Use(middleware.BodyLimitWithConfig(middleware.BodyLimitConfig{Limit: "2M", Skipper: func(c echo.Context) bool { return isUpload(c) }}))
	e.Use(middleware.ContextTimeoutWithConfig(middleware.ContextTimeoutConfig{Timeout: 60 * time.Second, Skipper: func(c echo.Context) bool {
		return isUpload(c) || strings.HasSuffix(c.Path(), "/events") || isDownload(c)
	}}))
	e.Use(h.ownName)
	e.Use(h.identify)
	e.Use(middleware.CSRFWithConfig(middleware.CSRFConfig{
		TokenLookup: "header:" + layout.CSRFHeader + ",form:" + layout.CSRFName, CookieName: "plumbline_csrf", CookiePath: "/",
		CookieHTTPOnly: true, CookieSecure: h.secure, CookieSameSite: http.SameSiteLaxMode, ContextKey: layout.CSRFName,
		ErrorHandler: func(error, echo.Context) error { return echo.NewHTTPError(http.StatusForbidden) },
		Skipper:      func(c echo.Context) bool { return strings.HasPrefix(c.Path(), "/static/") || c.Path() == "/healthz" },
	}))
	e.Use(csrfToContext)
}

// isUpload: an upload has its own limit and streams to disk.
func isUpload(c echo.Context) bool {
	return c.Request().Method == http.MethodPost && strings.HasSuffix(c.Path(), "/import")
}

func isDownload(c echo.Context) bool {
	return strings.HasSuffix(c.Path(), ".csv") || strings.HasSuffix(c.Path(), ".jsonl") || strings.HasSuffix(c.Path(), ".parquet") || strings.HasSuffix(c.Path(), ".json")
}

func secureHeaders(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		head := c.Response().Header()
		head.Set("Content-Security-Policy", contentPolicy)
		head.Set("X-Content-Type-Options", "nosniff")
		head.Set("X-Frame-Options", "DENY")
		head.Set("Referrer-Policy", "no-referrer")
		head.Set("Cross-Origin-Opener-Policy", "same-origin")
		head.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
		if !strings.HasPrefix(c.Request().URL.Path, "/static/") {
			head.Set("Cache-Control", "no-store")
		}
		return next(c)
	}
}

// logRequests logs the route and never the address itself, which may hold the
// token of a share link.
func (h *Handlers) logRequests() echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			start := time.Now()
			err := next(c)
			if err != nil {
				c.Error(err)
			}
			level := slog.LevelDebug
			if c.Response().Status >= 500 {
				level = slog.LevelWarn
			}
			h.log.Log(c.Request().Context(), level, "request", "method", c.Request().Method, "route", c.Path(),
				"status", c.Response().Status, "ms", time.Since(start).Milliseconds(), "id", c.Response().Header().Get(echo.HeaderXRequestID))
			return nil
		}
	}
}

// headAsGet answers HEAD as GET; the server drops the body, because it goes by the
// request it received.
func headAsGet(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodHead {
			r = r.Clone(r.Context())
			r.Method = http.MethodGet
		}
		next.ServeHTTP(w, r)
	})
}

// ownName refuses foreign names for a server without a password. Such a server
// trusts whoever reaches loopback, and a page elsewhere could reach it through the
// reader's browser by giving its own name the address 127.0.0.1.
func (h *Handlers) ownName(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if h.password == "" && !isLoopbackName(c.Request().Host) {
			return echo.NewHTTPError(http.StatusMisdirectedRequest)
		}
		return next(c)
	}
}

func isLoopbackName(hostport string) bool {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	host = strings.Trim(host, "[]")
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// identify finds out who asks. Without a password the server's only user does;
// with one, a session does. Share pages and static files need neither.
func (h *Handlers) identify(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		path := c.Request().URL.Path
		open := path == "/healthz" || path == "/login" || strings.HasPrefix(path, "/static/") || strings.HasPrefix(path, "/s/")
		if strings.HasPrefix(path, "/s/") {
			return next(c) // the share handler makes its own viewer, whoever is signed in
		}
		if h.password == "" {
			c.Set(viewerKey, models.LocalAdmin())
			return next(c)
		}
		if cookie, err := c.Cookie(sessionCookie); err == nil {
			ok, err := h.store.SessionValid(c.Request().Context(), cookie.Value)
			if err != nil {
				return err
			}
			if ok {
				c.Set(viewerKey, models.LocalAdmin())
				return next(c)
			}
		}
		if open {
			return next(c)
		}
		if c.Request().Method == http.MethodGet && !partial(c) {
			return c.Redirect(http.StatusSeeOther, "/login")
		}
		return echo.NewHTTPError(http.StatusUnauthorized)
	}
}

func csrfToContext(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if token, ok := c.Get(layout.CSRFName).(string); ok {
			c.SetRequest(c.Request().WithContext(layout.WithCSRF(c.Request().Context(), token)))
		}
		return next(c)
	}
}

// errNoMultipart is answered to an upload that is no form with files.
var errNoMultipart = errors.New("the request is not a form with files")
