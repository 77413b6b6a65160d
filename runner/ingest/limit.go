package ingest

import (
	"errors"
	"fmt"
	"io"
)

// Limits against compression bombs. Text seldom shrinks below a hundredth; what a
// file may unpack to whatever its size is freeUnpacked.
const (
	maxRatio     = 500
	freeUnpacked = 64 << 20
	maxUnpacked  = 64 << 30
)

// errBomb ends the reading of a compressed file.
var errBomb = errors.New("refused as a compression bomb")

// budget is what one file on disk may still unpack to, in all its layers.
type budget struct {
	size, left int64
}

func newBudget(size int64) *budget {
	return &budget{size: size, left: min(max(freeUnpacked, size*maxRatio), maxUnpacked)}
}

func (b *budget) spend(n int) error {
	if b.left -= int64(n); b.left >= 0 {
		return nil
	}
	if b.size*maxRatio > maxUnpacked {
		return fmt.Errorf("unpacks to more than %d GiB: %w", maxUnpacked>>30, errBomb)
	}
	return fmt.Errorf("unpacks to more than %d times its size: %w", maxRatio, errBomb)
}

// limited reads something compressed within a budget.
type limited struct {
	r      io.Reader
	budget *budget
}

func (l *limited) Read(p []byte) (int, error) {
	if l.budget.left < 0 {
		return 0, l.budget.spend(0)
	}
	n, err := l.r.Read(p)
	if e := l.budget.spend(n); e != nil {
		return n, e
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = errCutOff
	}
	return n, err
}

var errCutOff = errors.New("the compressed data ends early; what stands before the break was read")
