package interchange

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"github.com/ddbdesk/ddbdesk/models"
)

// Folder returns the templates of the stacks in cdk.out, which is the folder itself or a folder in it. The error lists
// the supported folders.
func Folder(dir fs.FS, name string) (files []File, err error) {
	if text, err := fs.ReadFile(dir, "manifest.json"); err == nil && isAssembly(text) {
		return assembly(dir, name, ".")
	}
	err = fs.WalkDir(dir, ".", func(at string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && e.Name() == "node_modules":
			return fs.SkipDir
		case e.Name() == "manifest.json" && path.Base(path.Dir(at)) == "cdk.out":
			list, err := assembly(dir, name, path.Dir(at))
			files = append(files, list...)
			return err
		}
		return nil
	})
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("folder %s is not cdk.out or a DynamoDB export to S3", models.Printable(name))
	}
	return files, err
}

func isAssembly(text []byte) bool {
	var m struct{ Artifacts map[string]any }
	return json.Unmarshal(text, &m) == nil && m.Artifacts != nil
}

// assembly returns the templates of a cloud assembly, including nested stacks and assemblies.
// https://docs.aws.amazon.com/cdk/api/v2/docs/aws-cdk-lib.cloud_assembly_schema-readme.html
func assembly(dir fs.FS, name, at string) (files []File, err error) {
	text, err := fs.ReadFile(dir, path.Join(at, "manifest.json"))
	if err != nil {
		return nil, err
	}
	var m struct {
		Artifacts map[string]struct {
			Type       string
			Properties struct{ TemplateFile, DirectoryName string }
		}
	}
	if err := decodeJSON(text, &m); err != nil {
		return nil, fmt.Errorf("%s: %w", path.Join(name, at, "manifest.json"), err)
	}
	var templates []string
	for _, a := range m.Artifacts {
		switch a.Type {
		case "aws:cloudformation:stack":
			templates = append(templates, path.Join(at, a.Properties.TemplateFile))
		case "cdk:cloud-assembly":
			inner, err := assembly(dir, name, path.Join(at, a.Properties.DirectoryName))
			if err != nil {
				return nil, err
			}
			files = append(files, inner...)
		}
	}
	nested, err := fs.Glob(dir, path.Join(at, "*.nested.template.json"))
	templates = append(templates, nested...)
	slices.Sort(templates)
	for _, template := range slices.Compact(templates) {
		text, readErr := fs.ReadFile(dir, template)
		if readErr != nil {
			return nil, readErr
		}
		files = append(files, File{path.Join(name, template), text})
	}
	return files, err
}
