package models

import (
	"database/sql"
	"errors"
	"fmt"
	"sort"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"gorm.io/gorm"
	"modernc.org/sqlite"
)

// The words of the store. Everything else is internal.
var (
	// ErrNotFound: no such thing, or the viewer may not see it.
	ErrNotFound = errors.New("not found")
	// ErrConflict: the change collides with what is stored.
	ErrConflict = errors.New("conflict")
	// ErrForbidden: the viewer may see the thing, not change it.
	ErrForbidden = errors.New("forbidden")
	// ErrStorageFull: the database cannot take more; nothing was written.
	ErrStorageFull = errors.New("the database is full: free disk space, then resume; nothing stored so far is lost")
	// ErrLeaseLost: another worker owns the shard, or the job is outdated.
	ErrLeaseLost = errors.New("lease lost")
)

// InvalidError carries a message for each bad field.
type InvalidError struct{ Fields map[string]string }

// Invalid makes an InvalidError of one field.
func Invalid(field, message string) *InvalidError {
	return &InvalidError{Fields: map[string]string{field: message}}
}

func (e *InvalidError) Error() string {
	names := make([]string, 0, len(e.Fields))
	for name := range e.Fields {
		names = append(names, name)
	}
	sort.Strings(names)
	parts := make([]string, len(names))
	for i, name := range names {
		parts[i] = name + ": " + e.Fields[name]
	}
	return "invalid: " + strings.Join(parts, "; ")
}

// wrap names the call in an error and turns driver errors into the store's words.
func wrap(err *error, format string, args ...any) {
	if *err != nil {
		*err = fmt.Errorf(format+": %w", append(args, classify(*err))...)
	}
}

func classify(err error) error {
	switch {
	case errors.Is(err, gorm.ErrRecordNotFound), errors.Is(err, sql.ErrNoRows):
		return ErrNotFound
	case errors.Is(err, gorm.ErrDuplicatedKey):
		return fmt.Errorf("%w: %w", ErrConflict, err)
	}
	var lite *sqlite.Error
	if errors.As(err, &lite) {
		switch lite.Code() {
		case 1555, 2067: // primary key, unique
			return fmt.Errorf("%w: %w", ErrConflict, err)
		case 13: // SQLITE_FULL
			return fmt.Errorf("%w: %w", ErrStorageFull, err)
		}
	}
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		switch pg.Code {
		case "23505":
			return fmt.Errorf("%w: %w", ErrConflict, err)
		case "53100":
			return fmt.Errorf("%w: %w", ErrStorageFull, err)
		case "22021": // a NUL or broken UTF-8 in what is looked for: nothing can be called so
			return fmt.Errorf("%w: %w", ErrNotFound, err)
		}
	}
	return err
}
