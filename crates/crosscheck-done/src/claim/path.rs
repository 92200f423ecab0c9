//! Which words name a file.

/// What a path names: the path itself, without a line or column behind it.
pub(crate) fn in_code(word: &str) -> Option<String> {
    let path = without_place(word);
    (is_clean(path) && (has_slash(path) || has_extension(path) || is_known_name(path)))
        .then(|| path.to_owned())
        .filter(|path| !is_other(path))
}

/// The same for a word outside of code, where a slash may also mean "or".
pub(crate) fn in_prose(word: &str) -> Option<String> {
    let path = in_code(word)?;
    let is_title = ["README", "CHANGELOG", "LICENSE", "NOTICE", "AUTHORS"].contains(&path.as_str());
    if is_product(&path) || is_domain(&path) || is_title {
        return None;
    }
    let first = path.split('/').next().unwrap_or_default();
    let certain = has_extension(&path)
        || is_known_name(&path)
        || path.starts_with(['/', '.', '~'])
        || path.ends_with('/')
        || FOLDERS.contains(&first);
    certain.then_some(path)
}

/// Whether the last part of a path has the extension of a file.
pub(crate) fn has_extension(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    let Some((stem, extension)) = name.rsplit_once('.') else {
        return false;
    };
    if name.starts_with(".env") {
        return true;
    }
    let extension = extension.to_ascii_lowercase();
    !stem.is_empty() && EXTENSIONS.contains(&extension.as_str())
        || (has_slash(path) && LATE_EXTENSIONS.contains(&extension.as_str()))
}

fn has_slash(path: &str) -> bool {
    path.contains('/')
}

/// Whether the last part of a path is a name that only files have.
pub(crate) fn is_known_name(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    NAMES.contains(&name) || (name.starts_with(".env") && !name.contains(' '))
}

fn is_clean(path: &str) -> bool {
    let odd = |c: char| c.is_whitespace() || "()<>{}*?|\"'`$,;=!".contains(c);
    !path.is_empty()
        && path.len() <= 300
        && !path.contains(odd)
        && !path.contains("://")
        && !path.contains("::") // a test within a file
}

/// Words with a dot or slash that are not files: versions, identifiers of
/// code, types of media, options.
fn is_other(path: &str) -> bool {
    let digits = path.trim_start_matches('v');
    let is_version = digits.contains('.') && digits.chars().all(|c| c.is_ascii_digit() || c == '.');
    let first = path.split('/').next().unwrap_or_default();
    let is_media = matches!(
        first,
        "application" | "text" | "image" | "audio" | "video" | "multipart" | "font"
    ) && path.matches('/').count() == 1
        && !has_extension(path);
    is_version
        || is_media
        || path.starts_with('-')
        || path.starts_with('@')
        || path.starts_with("//")
        || path == "/"
        || matches!(path, "process.env" | "import.meta.env" | "n/a" | "N/A")
        || (!has_slash(path) && is_product(path))
}

/// Products whose names end like files.
fn is_product(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    PRODUCTS.contains(&lower.as_str())
}

fn is_domain(path: &str) -> bool {
    let first = path.split('/').next().unwrap_or_default();
    let Some((_, last)) = first.rsplit_once('.') else {
        return false;
    };
    matches!(
        last.to_ascii_lowercase().as_str(),
        "com"
            | "org"
            | "net"
            | "io"
            | "dev"
            | "app"
            | "ai"
            | "co"
            | "edu"
            | "gov"
            | "example"
            | "local"
            | "me"
    ) && !first.starts_with('.')
}

/// A path without `:12`, `:12-14`, `:12:3`, `#L12` behind it.
fn without_place(word: &str) -> &str {
    let word = word.split_once("#L").map_or(word, |(path, _)| path);
    let is_place = |text: &str| {
        !text.is_empty()
            && text
                .chars()
                .all(|c| c.is_ascii_digit() || matches!(c, ':' | '-' | 'L'))
    };
    match word.split_once(':') {
        Some((path, place)) if is_place(place) => path,
        _ => word,
    }
}

const FOLDERS: [&str; 44] = [
    "src",
    "lib",
    "libs",
    "test",
    "tests",
    "spec",
    "docs",
    "doc",
    "app",
    "apps",
    "packages",
    "crates",
    "scripts",
    "bin",
    "config",
    "cmd",
    "internal",
    "pkg",
    "tools",
    "examples",
    "public",
    "assets",
    "components",
    "pages",
    "api",
    "server",
    "client",
    "web",
    "migrations",
    "db",
    "utils",
    "services",
    "models",
    "views",
    "controllers",
    "routes",
    "styles",
    "static",
    "templates",
    "backend",
    "frontend",
    "include",
    "fixtures",
    "benches",
];

const NAMES: [&str; 32] = [
    "Makefile",
    "Dockerfile",
    "LICENSE",
    "NOTICE",
    "Procfile",
    "Jenkinsfile",
    "Gemfile",
    "Rakefile",
    "Vagrantfile",
    "Justfile",
    "justfile",
    "Brewfile",
    "CODEOWNERS",
    "CHANGELOG",
    "README",
    "AUTHORS",
    ".gitignore",
    ".gitattributes",
    ".dockerignore",
    ".editorconfig",
    ".npmrc",
    ".nvmrc",
    ".prettierrc",
    ".eslintrc",
    ".babelrc",
    ".eslintignore",
    ".prettierignore",
    ".npmignore",
    ".bashrc",
    ".zshrc",
    ".tool-versions",
    "Containerfile",
];

const EXTENSIONS: [&str; 112] = [
    "py", "pyi", "ipynb", "rs", "go", "js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "vue",
    "svelte", "astro", "java", "kt", "kts", "scala", "groovy", "gradle", "rb", "erb", "rake",
    "gemspec", "php", "cs", "csproj", "sln", "fs", "fsx", "vb", "c", "h", "cc", "cpp", "cxx",
    "hpp", "hh", "m", "mm", "swift", "dart", "ex", "exs", "erl", "hs", "ml", "mli", "clj", "cljs",
    "edn", "lua", "pl", "pm", "r", "jl", "zig", "nim", "sol", "sh", "bash", "zsh", "fish", "ps1",
    "bat", "cmd", "sql", "prisma", "graphql", "gql", "proto", "json", "jsonc", "json5", "jsonl",
    "ndjson", "yaml", "yml", "toml", "ini", "cfg", "conf", "xml", "html", "htm", "css", "scss",
    "sass", "less", "md", "mdx", "markdown", "rst", "adoc", "txt", "csv", "tsv", "svg", "png",
    "jpg", "jpeg", "gif", "ico", "webp", "pdf", "lock", "tf", "tfvars", "hcl", "snap",
];

/// Extensions that are also names of methods and properties.
const LATE_EXTENSIONS: [&str; 12] = [
    "log",
    "map",
    "env",
    "config",
    "properties",
    "test",
    "template",
    "example",
    "bak",
    "db",
    "sqlite",
    "data",
];

const PRODUCTS: [&str; 24] = [
    "node.js",
    "next.js",
    "vue.js",
    "react.js",
    "nuxt.js",
    "express.js",
    "three.js",
    "d3.js",
    "chart.js",
    "discord.js",
    "ember.js",
    "backbone.js",
    "alpine.js",
    "moment.js",
    "day.js",
    "socket.io",
    "asp.net",
    "nest.js",
    "angular.js",
    "date-fns",
    "solid.js",
    "p5.js",
    "bun.sh",
    "deno.land",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_distinguished_from_words_that_look_like_one() {
        for (word, expected) in [
            ("src/tok.py", Some("src/tok.py")),
            ("src/tok.py:2-3", Some("src/tok.py")),
            ("src/tok.py:2:14", Some("src/tok.py")),
            ("src/tok.py#L20-L30", Some("src/tok.py")),
            ("legacy.py", Some("legacy.py")),
            (".env", Some(".env")),
            (".env.example", Some(".env.example")),
            ("Makefile", Some("Makefile")),
            ("src/utils/", Some("src/utils/")),
            ("process.argv", None),
            ("JSON.stringify", None),
            ("console.log", None),
            ("logs/app.log", Some("logs/app.log")),
            ("process.env", None),
            ("1.2.3", None),
            ("v2.0", None),
            ("src/*.py", None),
            ("foo()", None),
            ("https://a.b/c.py", None),
            ("application/json", None),
            ("Node.js", None),
            ("@scope/pkg", None),
        ] {
            assert_eq!(in_code(word).as_deref(), expected, "{word}");
        }
    }

    #[test]
    fn in_prose_a_slash_alone_makes_no_path() {
        for (word, expected) in [
            ("and/or", None),
            ("pass/fail", None),
            ("origin/main", None),
            ("actions/checkout", None),
            ("src/parser", Some("src/parser")),
            ("./run", Some("./run")),
            ("README.md", Some("README.md")),
            ("Next.js", None),
            ("example.com", None),
            ("github.com/a/b.rs", None),
        ] {
            assert_eq!(in_prose(word).as_deref(), expected, "{word}");
        }
    }
}
