package otlp

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path"
	"strconv"
	"strings"
	"time"
)

const (
	defaultEndpoint = "https://localhost:4318"
	defaultTimeout  = 10 * time.Second
	tracesPath      = "v1/traces"
)

// config is what the environment says.
type config struct {
	url     url.URL
	header  http.Header
	timeout time.Duration
	gzip    bool
	tls     *tls.Config // nil for the default
}

// environment reads variables. One for traces alone counts before the one for all signals.
type environment func(string) string

func (e environment) get(name string) (value, variable string) {
	for _, variable := range []string{"OTEL_EXPORTER_OTLP_TRACES_" + name, "OTEL_EXPORTER_OTLP_" + name} {
		if value := strings.TrimSpace(e(variable)); value != "" {
			return value, variable
		}
	}
	return "", ""
}

// config reads the variables. No error has a value in it that may be a secret.
func (e environment) config() (*config, error) {
	c := &config{header: make(http.Header), timeout: defaultTimeout}
	return c, errors.Join(e.endpoint(c), e.headers(c), e.limits(c), e.certificates(c))
}

func (e environment) endpoint(c *config) error {
	text, variable := e.get("ENDPOINT")
	whole := variable == "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT" // it is taken as it is
	u, err := url.Parse(cmp.Or(text, defaultEndpoint))
	if err != nil || u.Host == "" {
		return fmt.Errorf("%s: expected a URL like http://localhost:4318", variable)
	}
	secure := u.Scheme != "http"
	if insecure, _ := e.get("INSECURE"); insecure != "" {
		secure = !strings.EqualFold(insecure, "true")
	}
	c.url = url.URL{Scheme: "http", Host: u.Host, Path: cmp.Or(u.Path, "/")}
	if secure {
		c.url.Scheme = "https"
	}
	if !whole {
		c.url.Path = path.Join("/", u.Path, tracesPath)
	}
	return nil
}

func (e environment) headers(c *config) error {
	text, variable := e.get("HEADERS")
	for pair := range strings.SplitSeq(text, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, value, ok := strings.Cut(pair, "=")
		value, err := url.PathUnescape(value)
		if !ok || err != nil || strings.TrimSpace(name) == "" {
			return fmt.Errorf("%s: expected name=value, with a comma between two of them", variable)
		}
		c.header.Set(strings.TrimSpace(name), strings.TrimSpace(value))
	}
	return nil
}

func (e environment) limits(c *config) error {
	if text, variable := e.get("TIMEOUT"); text != "" {
		ms, err := strconv.Atoi(text)
		if err != nil || ms < 0 {
			return fmt.Errorf("%s: expected a number of milliseconds, found %q", variable, text)
		}
		c.timeout = time.Duration(ms) * time.Millisecond
	}
	switch text, variable := e.get("COMPRESSION"); text {
	case "gzip":
		c.gzip = true
	case "", "none":
	default:
		return fmt.Errorf("%s: expected gzip or none, found %q", variable, text)
	}
	return nil
}

func (e environment) certificates(c *config) error {
	var t tls.Config
	if file, variable := e.get("CERTIFICATE"); file != "" {
		data, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("%s: %w", variable, err)
		}
		t.RootCAs = x509.NewCertPool()
		if !t.RootCAs.AppendCertsFromPEM(data) {
			return fmt.Errorf("%s: no certificate is in %s", variable, file)
		}
		c.tls = &t
	}
	file, variable := e.get("CLIENT_CERTIFICATE")
	key, _ := e.get("CLIENT_KEY")
	if file != "" && key != "" {
		pair, err := tls.LoadX509KeyPair(file, key)
		if err != nil {
			return fmt.Errorf("%s: %w", variable, err)
		}
		t.Certificates = []tls.Certificate{pair}
		c.tls = &t
	}
	if c.tls != nil && c.url.Scheme == "http" {
		return errors.New("the endpoint of OTEL_EXPORTER_OTLP is http://, and there are certificates for TLS")
	}
	return nil
}
