//go:build !unix

package models

import (
	"context"
	"os"
)

// lockFile relies on SQLite's own write lock where the system has no flock.
func lockFile(context.Context, *os.File) error { return nil }
