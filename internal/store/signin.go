package store

import (
	"bufio"
	"cmp"
	"context"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials/logincreds"
	"github.com/aws/aws-sdk-go-v2/credentials/ssocreds"
	"github.com/aws/aws-sdk-go-v2/service/signin"

	"github.com/ddbdesk/ddbdesk/accesspatterns/snippet"
	"github.com/ddbdesk/ddbdesk/models"
)

// A ChainLink is a step on the way to credentials: an AWS profile, or "" for a step without a profile.
type ChainLink struct {
	Profile string
	Step    string // such as "assumes the role support with the credentials of base"; contains no account IDs
}

// String returns a sentence without the final period.
func (l ChainLink) String() string {
	if l.Profile == "" {
		return l.Step
	}
	return profileText(l.Profile) + " " + l.Step
}

// profileText returns an AWS profile for a shell, because its name may contain a space.
func profileText(profile string) string {
	return "AWS profile " + snippet.ShellQuote(models.Printable(cmp.Or(profile, "default")))
}

// ChainOf returns the chain to an AWS profile's credentials, even a broken one. "" means the profile in use.
func ChainOf(profile string) []ChainLink {
	_, links := chainOf(profile)
	return links
}

// Chain returns the chain to the connection's credentials, starting with the AWS profile in use. It reads nothing. The
// embedded database has no chain.
func (c *Connection) Chain() []ChainLink { return c.chain }

// A signIn describes how the user gets new credentials for a connection.
type signIn struct {
	profile          string // AWS profile of the connection, or ""
	source           string // AWS profile at the end of the chain, which contains the credentials or signs in
	credentialSource string // credential_source of that profile, such as Environment, or ""
	command          string // sign-in command without --profile; "" if no sign-in is possible
	token            string // file to which the command writes its result
}

func (s signIn) words() []string {
	if s.command == "" {
		return nil
	}
	return append(strings.Fields(s.command), "--profile", cmp.Or(s.source, "default"))
}

func (s signIn) commandLine() string {
	return s.command + " --profile " + snippet.ShellQuote(cmp.Or(s.source, "default"))
}

const ssoLogin = "aws sso login"

func (s signIn) expiredText(err error) string {
	suffix := " (" + profileText(s.source) + ")"
	file, readErr := os.ReadFile(s.token)
	damaged, isDamaged := errors.AsType[*damagedLogin](err)
	switch {
	case s.command == "":
		return "credentials expired"
	case isDamaged:
		return damaged.Error() + suffix
	case os.IsNotExist(readErr):
		return "not signed in to AWS" + suffix
	case s.command == ssoLogin && readErr == nil:
		var token struct{ AccessToken, ExpiresAt string }
		if json.Unmarshal(file, &token) != nil || token.AccessToken == "" || token.ExpiresAt == "" {
			return "the token file of aws sso login in ~/.aws/sso/cache is damaged" + suffix
		}
	}
	return "AWS sign-in expired" + suffix
}

func (s signIn) renewAdvice() string {
	switch {
	case s.command != "":
		return "run " + s.commandLine()
	case s.source != "":
		return "renew the credentials of " + profileText(s.source)
	}
	return "get new ones and set AWS_PROFILE, or AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN"
}

// awsFiles contains the sections of the shared configuration files that concern credentials. The SDK follows a chain of
// profiles but does not report which profile is wrong, so ddbdesk follows the chain again. Source: AWS SDKs and Tools
// Reference Guide, "Shared config and credentials files".
type awsFiles struct{ profiles, sessions map[string]map[string]string }

func readAWSFiles() awsFiles {
	f := awsFiles{map[string]map[string]string{}, map[string]map[string]string{}}
	home, _ := os.UserHomeDir() // without a home folder, environment variables can still set the file names
	f.read(cmp.Or(os.Getenv("AWS_CONFIG_FILE"), filepath.Join(home, ".aws", "config")), true)
	f.read(cmp.Or(os.Getenv("AWS_SHARED_CREDENTIALS_FILE"), filepath.Join(home, ".aws", "credentials")), false)
	return f
}

// read adds the sections of a file. Like the SDK, it ignores an unreadable file.
func (f awsFiles) read(path string, prefixed bool) {
	text, err := os.ReadFile(path)
	if err != nil {
		return
	}
	var section map[string]string
	for lines := bufio.NewScanner(strings.NewReader(string(text))); lines.Scan(); {
		line := lines.Text()
		switch trimmed := strings.TrimSpace(line); {
		case trimmed == "", strings.ContainsAny(trimmed[:1], "#;"):
		case strings.HasPrefix(trimmed, "["):
			section = f.section(strings.TrimSpace(strings.Trim(trimmed, "[]")), prefixed)
		case line != strings.TrimLeft(line, " \t"): // belongs to the value above
		default:
			if name, value, ok := strings.Cut(trimmed, "="); ok && section != nil {
				section[strings.ToLower(strings.TrimSpace(name))] = strings.TrimSpace(value)
			}
		}
	}
}

// section returns the values of a section. It returns nil if the section does not concern credentials.
func (f awsFiles) section(title string, prefixed bool) map[string]string {
	kind, name, hasName := strings.Cut(title, " ")
	in := f.profiles
	switch {
	case !prefixed || title == "default":
		name = title
	case hasName && kind == "sso-session":
		in = f.sessions
	case !hasName || kind != "profile":
		return nil
	}
	name = strings.Trim(strings.TrimSpace(name), `"'`)
	if in[name] == nil {
		in[name] = map[string]string{}
	}
	return in[name]
}

// AWSProfiles returns the names of the profiles in the shared configuration files.
func AWSProfiles() []string { return slices.Sorted(maps.Keys(readAWSFiles().profiles)) }

// profileInUse returns the AWS profile that the SDK uses. explicit is the requested one, or "".
func profileInUse(explicit string) string {
	return cmp.Or(explicit, os.Getenv("AWS_PROFILE"), os.Getenv("AWS_DEFAULT_PROFILE"))
}

func chainOf(explicit string) (signIn, []ChainLink) {
	s := signIn{profile: profileInUse(explicit)}
	if explicit == "" && os.Getenv("AWS_ACCESS_KEY_ID") != "" && os.Getenv("AWS_SECRET_ACCESS_KEY") != "" {
		return s, []ChainLink{{Step: "the environment has an access key (AWS_ACCESS_KEY_ID)"}}
	}
	if explicit == "" && os.Getenv("AWS_WEB_IDENTITY_TOKEN_FILE") != "" {
		return s, []ChainLink{{Step: "the environment has a web identity (AWS_WEB_IDENTITY_TOKEN_FILE)"}}
	}
	f := readAWSFiles()
	names, _ := f.followProfiles(cmp.Or(s.profile, "default"))
	links := make([]ChainLink, 0, len(names))
	for i, name := range names {
		p := f.profiles[name]
		assumesRole := "assumes the role " + roleName(p["role_arn"]) + " with "
		step := assumesRole + "the credentials of " + models.Printable(p["source_profile"])
		if i < len(names)-1 {
			links = append(links, ChainLink{name, step})
			continue
		}
		s.source = name
		source := "has no credentials"
		switch {
		case p["aws_access_key_id"] != "":
			source = "has an access key"
		case p["credential_source"] != "":
			s.credentialSource = p["credential_source"]
			source = assumesRole + "the credentials of " + models.Printable(s.credentialSource)
		case p["web_identity_token_file"] != "":
			source = assumesRole + "a web identity"
		case p["sso_session"] != "" || p["sso_start_url"] != "":
			s.command = ssoLogin
			s.token, _ = ssocreds.StandardCachedTokenFilepath(cmp.Or(p["sso_session"], p["sso_start_url"]))
			source = "signs in with " + s.commandLine()
		case p["login_session"] != "":
			s.command = "aws login"
			s.token, _ = logincreds.StandardCachedTokenFilepath(p["login_session"], os.Getenv("AWS_LOGIN_CACHE_DIRECTORY"))
			source = "signs in with " + s.commandLine()
		case p["credential_process"] != "":
			source = "runs its credential_process"
		case p["role_arn"] != "" && p["source_profile"] != "":
			source = step // The chain is broken here.
		}
		links = append(links, ChainLink{name, source})
	}
	if len(links) == 0 {
		links = []ChainLink{{Step: "no AWS profile is configured"}}
	}
	return s, links
}

func roleName(arn string) string { return models.Printable(arn[strings.LastIndex(arn, "/")+1:]) }

// followProfiles returns the profiles from one profile to the end of its chain, and the problem with the last step, or
// "". A profile that names itself contains the credentials for its own role.
func (f awsFiles) followProfiles(name string) (names []string, problem string) {
	for {
		p, ok := f.profiles[name]
		if !ok {
			return names, "missing"
		}
		if slices.Contains(names, name) {
			return names, "circle"
		}
		names = append(names, name)
		next := p["source_profile"]
		if p["role_arn"] == "" || next == "" || next == name || len(names) > 1 && p["aws_access_key_id"] != "" {
			return names, ""
		}
		name = next
	}
}

// brokenChain describes the AWS profile that makes the SDK reject the configuration, and the remedy, or returns "".
func brokenChain(explicit string) (problem, advice string) {
	f := readAWSFiles()
	names, chainProblem := f.followProfiles(cmp.Or(profileInUse(explicit), "default"))
	if len(names) == 0 {
		return "", ""
	}
	last := names[len(names)-1]
	p := f.profiles[last]
	session, from := p["sso_session"], profileText(names[max(len(names)-2, 0)])
	for i, name := range slices.Backward(names) {
		profile := profileText(name)
		if i > 0 {
			profile = fmt.Sprintf("%s: its source_profile %s", profileText(names[i-1]), models.Printable(name))
		}
		if fault, advice := f.profileProblem(name); fault != "" && chainProblem == "" {
			return profile + " " + fault, advice
		}
	}
	switch {
	case chainProblem == "missing":
		return fmt.Sprintf("%s: its source_profile %s does not exist", profileText(last), models.Printable(p["source_profile"])),
			"name a profile of ~/.aws/config; see aws configure list-profiles"
	case chainProblem == "circle":
		names = names[max(slices.Index(names, p["source_profile"]), 0):]
		return fmt.Sprintf("AWS profiles %s name each other as source_profile", models.Printable(strings.Join(names, ", "))),
			"add credentials or a sign-in to one of them"
	case session != "" && f.sessions[session] == nil:
		return fmt.Sprintf("%s: its sso_session %s does not exist", profileText(last), models.Printable(session)),
			"run aws configure sso-session"
	case len(names) == 1 && p["role_arn"] != "" && p["source_profile"] == last && !signsIn(p):
		return profileText(last) + ": it names itself as source_profile and has no credentials",
			"add credentials with aws configure --profile " + snippet.ShellQuote(last)
	case len(names) == 1:
		return "", ""
	case p["login_session"] != "":
		return fmt.Sprintf("%s: its role needs the credentials of %s, which signs in with aws login, and that works only for %[2]s itself",
				from, last),
			fmt.Sprintf("use a source_profile with credential_process = aws configure export-credentials --profile %s --format process",
				snippet.ShellQuote(last))
	case !signsIn(p):
		return fmt.Sprintf("%s: its source_profile %s has no credentials", from, last),
			"add credentials with aws configure --profile " + snippet.ShellQuote(last)
	}
	return "", ""
}

// profileProblem describes the problem with a profile's own credentials settings, and the remedy, or returns "".
func (f awsFiles) profileProblem(name string) (problem, advice string) {
	p := f.profiles[name]
	ways := models.Filter( // ways to the credentials for its role
		[]string{"source_profile", "credential_source", "web_identity_token_file"}, func(key string) bool { return p[key] != "" })
	_, known := missingCredentials[p["credential_source"]]
	_, statErr := os.Stat(p["web_identity_token_file"])
	switch {
	case (p["aws_access_key_id"] == "") != (p["aws_secret_access_key"] == ""):
		return "has one half of an access key", "set aws_access_key_id and aws_secret_access_key with aws configure --profile " +
			snippet.ShellQuote(name)
	case p["role_arn"] != "" && len(ways) > 1:
		return "has a " + strings.Join(ways, " and a ") + " for its role", "remove one of them from ~/.aws/config"
	case p["role_arn"] != "" && len(ways) == 0 && !signsIn(p):
		return "has a role_arn and no source of credentials", "add source_profile = NAME to it in ~/.aws/config"
	case p["credential_source"] != "" && !known:
		return "has the unknown credential_source " + models.Printable(p["credential_source"]),
			"write " + strings.Join(slices.Sorted(maps.Keys(missingCredentials)), ", ") + " there, or use source_profile"
	case p["web_identity_token_file"] != "" && statErr != nil:
		return "gets its role with the token in " + models.Printable(p["web_identity_token_file"]) + ", which cannot be read", tokenAdvice
	}
	return "", ""
}

const tokenAdvice = "the platform that runs ddbdesk writes that file; use another AWS profile elsewhere"

// brokenEnvironment describes the problem with the credentials variables, and the remedy, or returns "".
func brokenEnvironment() (problem, advice string) {
	file := os.Getenv("AWS_WEB_IDENTITY_TOKEN_FILE")
	if _, err := os.Stat(file); file != "" && err != nil {
		return "AWS_WEB_IDENTITY_TOKEN_FILE names " + models.Printable(file) + ", which cannot be read", tokenAdvice
	}
	if (os.Getenv("AWS_ACCESS_KEY_ID") == "") != (os.Getenv("AWS_SECRET_ACCESS_KEY") == "") {
		return "the environment has one half of an access key", "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or unset both"
	}
	return "", ""
}

func signsIn(p map[string]string) bool {
	return slices.ContainsFunc([]string{
		"aws_access_key_id", "credential_source", "credential_process", "web_identity_token_file", "sso_session", "sso_start_url",
	}, func(key string) bool { return p[key] != "" })
}

// A damagedLogin reports an unusable file of aws login. The SDK panics on some of them.
type damagedLogin struct{ err error }

func (e *damagedLogin) Error() string {
	return "the file of aws login in ~/.aws/login/cache is damaged"
}
func (e *damagedLogin) Unwrap() error { return e.err }

// A checkedLogin checks the file of aws login before the SDK reads it.
type checkedLogin struct {
	next aws.CredentialsProvider
	file string
}

func (l checkedLogin) Retrieve(ctx context.Context) (aws.Credentials, error) {
	if text, err := os.ReadFile(l.file); err == nil {
		var token *struct{ DPOPKey string }
		if err := json.Unmarshal(text, &token); err != nil || token == nil {
			return aws.Credentials{}, &damagedLogin{err}
		}
		block, _ := pem.Decode([]byte(token.DPOPKey))
		if block == nil {
			return aws.Credentials{}, &damagedLogin{}
		}
		if _, err := x509.ParseECPrivateKey(block.Bytes); err != nil {
			return aws.Credentials{}, &damagedLogin{err}
		}
	}
	return l.next.Retrieve(ctx)
}

func checkLogin(cfg *aws.Config) {
	if cfg.Credentials == nil || !aws.IsCredentialsProvider(cfg.Credentials, (*logincreds.Provider)(nil)) {
		return
	}
	for _, source := range cfg.ConfigSources {
		shared, ok := source.(config.SharedConfig)
		if !ok || shared.LoginSession == "" {
			continue
		}
		file, err := logincreds.StandardCachedTokenFilepath(shared.LoginSession, os.Getenv("AWS_LOGIN_CACHE_DIRECTORY"))
		if err != nil {
			return
		}
		restrict := cfg.RestrictFilePermissions != aws.RestrictFilePermissionsUnrestricted
		provider := logincreds.New(signin.NewFromConfig(*cfg), file, func(o *logincreds.Options) { o.RestrictPermissions = restrict })
		cfg.Credentials = aws.NewCredentialsCache(checkedLogin{provider, file})
		return
	}
}
