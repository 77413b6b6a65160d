package handlers

import (
	"fmt"
	"net/http"
	"time"

	"github.com/alexedwards/argon2id"
	"github.com/labstack/echo/v4"
)

const sessionLife = 30 * 24 * time.Hour

// loginCreate checks the password. Wrong ones slow the address down.
func (h *Handlers) loginCreate(c echo.Context) error {
	if h.password == "" {
		return seeOther(c, "/")
	}
	var form struct {
		Password string `form:"password"`
		Next     string `form:"next"`
	}
	if err := c.Bind(&form); err != nil {
		return err
	}
	ctx, address := c.Request().Context(), c.RealIP()
	wait, err := h.store.LoginWait(ctx, address)
	if err != nil {
		return err
	}
	if wait > 0 {
		c.Response().Header().Set("Retry-After", fmt.Sprintf("%d", int(wait.Seconds())+1))
		return render(c, http.StatusTooManyRequests, h.loginPage(c, form.Next, "", wait))
	}
	if len(form.Password) > 1024 {
		form.Password = "" // hashing an endless one would be work for nothing
	}
	ok, err := argon2id.ComparePasswordAndHash(form.Password, h.password)
	if err != nil {
		return fmt.Errorf("check the password: %w", err)
	}
	if !ok {
		if err := h.store.LoginFailed(ctx, address); err != nil {
			return err
		}
		return render(c, http.StatusUnauthorized, h.loginPage(c, form.Next, "The password is wrong.", 0))
	}
	if err := h.store.LoginSucceeded(ctx, address); err != nil {
		return err
	}
	token, err := h.store.NewSession(ctx, sessionLife)
	if err != nil {
		return err
	}
	c.SetCookie(h.sessionOf(token, sessionLife))
	return seeOther(c, localPath(form.Next))
}

func (h *Handlers) sessionOf(token string, life time.Duration) *http.Cookie {
	return &http.Cookie{
		Name: sessionCookie, Value: token, Path: "/", MaxAge: int(life.Seconds()),
		HttpOnly: true, Secure: h.secure, SameSite: http.SameSiteLaxMode,
	}
}
