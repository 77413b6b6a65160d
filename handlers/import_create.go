package handlers

import (
	"errors"
	"io"
	"maps"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"plumbline/models"
	"plumbline/runner/ingest"
	"plumbline/web/layout"
	"plumbline/web/pages"
)

// formFieldBytes caps a text field of the upload form.
const formFieldBytes = 4 << 10

// importCreate takes an upload. Files stream to disk one after the other; nothing
// is held in memory, and reading them is a job of its own.
func (h *Handlers) importCreate(c echo.Context) error {
	req := c.Request()
	if !viewer(c).CanEdit(h.project.ID) {
		return models.ErrForbidden
	}
	// An upload may take as long as its line needs.
	control := http.NewResponseController(c.Response())
	if err := errors.Join(control.SetReadDeadline(time.Time{}), control.SetWriteDeadline(time.Time{})); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	req.Body = http.MaxBytesReader(c.Response(), req.Body, h.upload)
	in, upload, err := h.receive(c)
	if err == nil && upload == nil {
		err = models.Invalid("files", "choose at least one file")
	}
	if err == nil {
		err = upload.Start(req.Context(), ingest.Options{Format: in.Format, Split: strings.TrimSpace(in.Split), LabelColumn: strings.TrimSpace(in.Labels)})
	} else if upload != nil {
		upload.Drop(req.Context(), "the upload was not complete")
	}
	var invalid *models.InvalidError
	switch {
	case err == nil:
		return seeOther(c, "/imports/"+url.PathEscape(upload.Report.ID))
	case errors.As(err, &invalid):
		bad := fields{}
		maps.Copy(bad, invalid.Fields)
		view, e := h.importPage(c, in, bad)
		if e != nil {
			return e
		}
		return render(c, http.StatusUnprocessableEntity, pages.ImportPage(view))
	}
	return err
}

// receive reads the parts in the order of the form: the fields, then the files.
// The upload is nil until the first file came.
func (h *Handlers) receive(c echo.Context) (in importForm, upload *ingest.Upload, err error) {
	in.Dataset = c.Param("id")
	err = eachPart(c.Request(), func(name, path string, r io.Reader) error {
		if name != "files" {
			text, err := io.ReadAll(io.LimitReader(r, formFieldBytes))
			if err != nil {
				return err
			}
			in.set(name, string(text))
			return nil
		}
		if path == "" {
			return nil // a file field left empty
		}
		if upload == nil {
			u, err := h.openUpload(c, in)
			if err != nil {
				return err
			}
			upload = u
		}
		return upload.Add(path, r)
	})
	return in, upload, err
}

// eachPart streams the parts of a form. The check of the form's token has read the
// whole body already where the browser did not say where the request came from;
// then the parts are in memory and temporary files, and are taken from there.
func eachPart(req *http.Request, take func(name, path string, r io.Reader) error) error {
	if req.MultipartForm != nil {
		return eachParsed(req.MultipartForm, take)
	}
	parts, err := req.MultipartReader()
	if err != nil {
		return echo.NewHTTPError(http.StatusBadRequest).SetInternal(errors.Join(errNoMultipart, err))
	}
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		name, path := partName(part.Header.Get("Content-Disposition"))
		if err := take(name, path, part); err != nil {
			return err
		}
	}
}

func eachParsed(form *multipart.Form, take func(name, path string, r io.Reader) error) error {
	defer func() { _ = form.RemoveAll() }() // temporary files; the system clears what stays
	for name, values := range form.Value {
		for _, v := range values {
			if err := take(name, "", strings.NewReader(v)); err != nil {
				return err
			}
		}
	}
	for _, file := range form.File["files"] {
		f, err := file.Open()
		if err != nil {
			return err
		}
		_, path := partName(file.Header.Get("Content-Disposition"))
		err = take("files", path, f)
		if e := f.Close(); err == nil {
			err = e
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (in *importForm) set(name, value string) {
	switch name {
	case "dataset":
		in.Dataset = value
	case "name":
		in.Name = value
	case "split":
		in.Split = value
	case "labels":
		in.Labels = value
	case "format":
		in.Format = value
	case layout.CSRFName: // checked by the middleware
	}
}

func (h *Handlers) openUpload(c echo.Context, in importForm) (*ingest.Upload, error) {
	ctx, v, id := c.Request().Context(), viewer(c), in.Dataset
	switch id {
	case "":
		return nil, models.Invalid("dataset", "choose a dataset")
	case newDataset:
		if strings.TrimSpace(in.Name) == "" {
			return nil, models.Invalid("name", "give the new dataset a name")
		}
		d, err := h.store.EnsureDataset(ctx, v, h.project.ID, in.Name, "", false)
		if err != nil {
			return nil, err
		}
		id = d.ID
	}
	return h.ingest.NewUpload(ctx, v, id)
}

// partName gives the field of a part and the path of its file. The standard
// library drops folders, which a folder upload needs; Upload.Add keeps a path
// inside the upload's own folder.
func partName(disposition string) (name, path string) {
	_, params, err := mime.ParseMediaType(disposition)
	if err != nil {
		return "", ""
	}
	return params["name"], params["filename"]
}
