package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/alexedwards/argon2id"

	"plumbline/handlers"
)

type serveCmd struct {
	Addr         string `help:"Address to listen on; port 0 takes a free one." default:"127.0.0.1:8080"`
	Auth         bool   `help:"Ask for the admin password. Needed on any address but loopback."`
	Password     string `help:"Admin password, set once; it is stored hashed. Better given by a file." placeholder:"SECRET"`
	PasswordFile string `help:"File that holds the admin password." type:"path" placeholder:"FILE"`
	Secure       bool   `help:"Mark cookies for HTTPS only, when a proxy speaks TLS in front."`
	Shards       int    `help:"Shards of experiments performed at a time; 0 leaves the work to plumbline work." default:"8"`
	MaxUpload    int64  `help:"Largest upload in MiB." default:"20480"`
}

// passwordSetting is where the hash of the admin password is kept.
const passwordSetting = "admin_password_argon2id"

// Run serves until Ctrl-C.
func (c *serveCmd) Run(ctx context.Context, g *Globals, std streams) error {
	l, err := listen(c.Addr, c.Auth)
	if err != nil {
		return err
	}
	a, err := newApp(ctx, g, std)
	if err != nil {
		l.Close()
		return err
	}
	cfg := handlers.Config{Secure: c.Secure, MaxUpload: c.MaxUpload << 20}
	if err := c.prepare(ctx, a, &cfg); err != nil {
		l.Close()
		return errors.Join(err, a.close())
	}
	shards := c.Shards
	if shards == 0 {
		shards = -1 // uploads lie on this server's disk and are read here all the same
	}
	if err := a.workOnAll(ctx, shards, true); err != nil {
		l.Close()
		return errors.Join(err, a.close())
	}
	fmt.Fprintf(std.out, "Plumbline is at %s\n", pageURL(l))
	return errors.Join(a.serve(ctx, l, cfg), a.close())
}

func (c *serveCmd) prepare(ctx context.Context, a *app, cfg *handlers.Config) error {
	p, err := a.store.EnsureProject(ctx, "default", "Default project")
	if err != nil {
		return err
	}
	cfg.Project = p
	if c.Auth {
		if cfg.Password, err = c.hash(ctx, a); err != nil {
			return err
		}
	}
	return a.ingest.CloseLost(ctx)
}

// hash returns the stored hash of the admin password, replacing it by a password
// given now. Replacing it ends all sessions.
func (c *serveCmd) hash(ctx context.Context, a *app) (string, error) {
	stored, err := a.store.Setting(ctx, passwordSetting)
	if err != nil {
		return "", err
	}
	given := c.Password
	if given == "" && c.PasswordFile != "" {
		if given, err = readSecret(c.PasswordFile); err != nil {
			return "", err
		}
	}
	if given == "" {
		if stored == "" {
			return "", errors.New("--auth needs a password the first time: give --password-file FILE (or PLUMBLINE_PASSWORD_FILE)")
		}
		return stored, nil
	}
	if stored != "" {
		same, err := argon2id.ComparePasswordAndHash(given, stored)
		if err != nil {
			return "", fmt.Errorf("check the stored password: %w", err)
		}
		if same {
			return stored, nil
		}
	}
	if len(given) < 10 {
		return "", errors.New("the admin password must have at least 10 characters")
	}
	hash, err := argon2id.CreateHash(given, argon2id.DefaultParams)
	if err != nil {
		return "", fmt.Errorf("hash the password: %w", err)
	}
	if err := a.store.SetSetting(ctx, passwordSetting, hash); err != nil {
		return "", err
	}
	return hash, a.store.EndSessions(ctx)
}

type workCmd struct {
	Shards int `help:"Shards of experiments performed at a time." default:"8"`
}

// Run works until Ctrl-C.
func (c *workCmd) Run(ctx context.Context, g *Globals, std streams) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := g.databaseThere(); err != nil {
		return err // a worker on a database of its own would wait forever
	}
	a, err := newApp(ctx, g, std)
	if err != nil {
		return err
	}
	if err := a.workOnAll(ctx, c.Shards, false); err != nil {
		return errors.Join(err, a.close())
	}
	fmt.Fprintln(std.out, "Working. Ctrl-C ends it; calls in flight end first.")
	<-ctx.Done()
	return a.close()
}
