package handlers

import (
	"errors"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/labstack/echo/v4"

	"plumbline/models"
	"plumbline/runner"
	"plumbline/web/components"
	"plumbline/web/layout"
	"plumbline/web/pages"
)

// criticsNew is the upload form.
func (h *Handlers) criticsNew(c echo.Context) error {
	if !viewer(c).CanEdit(h.project.ID) {
		return models.ErrForbidden
	}
	return render(c, http.StatusOK, pages.CriticImportPage(h.criticsForm(c, url.Values{}, fields{})))
}

// criticsImport takes a file. It is read at once: critic tables are small.
func (h *Handlers) criticsImport(c echo.Context) error {
	if !viewer(c).CanEdit(h.project.ID) {
		return models.ErrForbidden
	}
	req := c.Request()
	req.Body = http.MaxBytesReader(c.Response(), req.Body, runner.MaxCriticBytes+1<<20)
	if err := req.ParseMultipartForm(8 << 20); err != nil {
		var large *http.MaxBytesError
		if errors.As(err, &large) {
			return err
		}
		return echo.NewHTTPError(http.StatusBadRequest)
	}
	defer req.MultipartForm.RemoveAll()
	form := url.Values(req.MultipartForm.Value)
	content, name, err := uploadedFile(c)
	if err != nil {
		return err
	}
	if content == nil {
		return h.criticsAgain(c, form, fields{"file": "choose a file"})
	}
	title := strings.TrimSpace(form.Get("name"))
	if title == "" {
		title = strings.TrimSuffix(name, filepath.Ext(name))
	}
	t, _, err := h.runner.ImportCritics(req.Context(), viewer(c), h.project.ID, title, name, content, declarationOf(form))
	var invalid *models.InvalidError
	if errors.As(err, &invalid) {
		bad := fields{}
		for k, v := range invalid.Fields {
			bad[k] = v
		}
		return h.criticsAgain(c, form, bad)
	}
	if err != nil {
		return err
	}
	return seeOther(c, criticsURL(t.ID))
}

// uploadedFile reads the file of the form; nil if none was chosen.
func uploadedFile(c echo.Context) ([]byte, string, error) {
	head, err := c.FormFile("file")
	if errors.Is(err, http.ErrMissingFile) {
		return nil, "", nil
	}
	if err != nil {
		return nil, "", err
	}
	f, err := head.Open()
	if err != nil {
		return nil, "", err
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, runner.MaxCriticBytes+1))
	return content, filepath.Base(head.Filename), err
}

func (h *Handlers) criticsAgain(c echo.Context, form url.Values, bad fields) error {
	return render(c, http.StatusUnprocessableEntity, pages.CriticImportPage(h.criticsForm(c, form, bad)))
}

// declarationOf reads the fields; lists are separated by commas.
func declarationOf(form url.Values) runner.CriticDeclaration {
	list := func(name string) []string {
		var out []string
		for _, s := range strings.Split(form.Get(name), ",") {
			if s = strings.TrimSpace(s); s != "" {
				out = append(out, s)
			}
		}
		return out
	}
	d := runner.CriticDeclaration{
		Task: strings.TrimSpace(form.Get("task")), Label: strings.TrimSpace(form.Get("label")), Candidate: strings.TrimSpace(form.Get("candidate")),
		Group: list("group"), Scores: list("scores"), Chains: form.Get("chains") != "",
	}
	switch sep := form.Get("comma"); sep {
	case "", ",":
	case "tab":
		d.Comma = "\t"
	default:
		d.Comma = sep
	}
	for _, s := range list("critics") {
		d.Critics = append(d.Critics, runner.ParseCriticSource(s))
	}
	return d
}

func (h *Handlers) criticsForm(c echo.Context, form url.Values, bad fields) pages.CriticImport {
	view := pages.CriticImport{Frame: h.frame(c, "Import critics"), Action: "/critics/import", Error: bad["file"], Most: bytesWord(runner.MaxCriticBytes),
		Command: "plumbline critics import FILE.csv --name NAME --task instance_id --label y --candidate patch_id --critic syntax --critic tests --critic llm"}
	view.Frame.Crumbs = []layout.Link{{Text: "Home", Href: "/"}, {Text: "Critic tables", Href: "/critics"}}
	field := func(name, label, hint string) {
		view.Fields = append(view.Fields, components.Input{Name: name, Label: label, Value: form.Get(name), Hint: hint, Error: bad[name], MaxLength: 500, Wide: true})
	}
	field("name", "Name of the table", "empty: the name of the file")
	field("task", "Column of the task", "its id; runs of the same task by different generators are told apart by the group")
	field("label", "Column of the truth", "1, true, pass, correct … or 0, false, fail, wrong …; empty is unknown")
	field("critics", "Columns of critics", "separated by commas; name=column gives one another name, column:6 says that it has the outcomes 0 to 5")
	field("scores", "Columns of scores", "numbers, higher for correct; may be empty")
	field("candidate", "Column that orders candidates", "whole numbers; empty: the order of the rows")
	field("group", "Columns of the group", "such as benchmark, generator; may be empty")
	view.Fields = append(view.Fields, components.Input{Name: "comma", Label: "Cells are separated by", Kind: "select", Value: form.Get("comma"), Error: bad["comma"],
		Options: []components.Choice{{Value: "", Text: "comma"}, {Value: ";", Text: "semicolon"}, {Value: "tab", Text: "tab"}}})
	view.Chains = components.Input{Name: "chains", Label: "each candidate was made with feedback on the one before", Kind: "checkbox", Checked: form.Get("chains") != "",
		Hint: "otherwise the candidates of a task are independent attempts"}
	return view
}
