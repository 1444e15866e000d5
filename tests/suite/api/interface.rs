//! The public interface as a list: every name that another crate can write, with its type.
//!
//! A change of the list is a change that users see. If it is meant, accept it with
//! `INSTA_UPDATE=always cargo test --test suite api::interface`, and read the difference: a line that went
//! or changed breaks somebody's code, a line that came does not.
//!
//! The sources are read as syntax. `unreachable_pub` warns of a `pub` that nobody outside can reach, so that
//! each `pub` in a module that is not hidden belongs to the list.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use syn::{
    Attribute, Fields, ImplItem, Item, ItemImpl, Meta, TraitItem, Type, UseTree, Visibility,
    parse_quote,
};

/// A file of the library.
struct File {
    /// `sym::expr`; empty for `lib.rs`.
    module: String,
    is_hidden: bool,
    items: Vec<Item>,
}

/// The names that decide whether an item belongs to the list.
#[derive(Default)]
struct Names {
    /// Types and traits that another crate can name.
    public: BTreeSet<String>,
    /// Traits of the library's own.
    private_traits: BTreeSet<String>,
    /// Names that a `pub use` lets out of some module, hidden ones too.
    exported: BTreeSet<String>,
}

#[test]
fn the_interface_is_as_users_know_it() {
    let files = files();
    let names = names(&files);
    let mut rooms: BTreeMap<&str, String> = BTreeMap::new();
    for file in &files {
        let items: Vec<Item> = file
            .items
            .iter()
            .filter_map(|item| listed(item, file, &names))
            .collect();
        if items.is_empty() {
            continue;
        }
        let room = match file.module.split("::").next() {
            None | Some("") => "atgpu",
            Some(room) => room,
        };
        let tree = syn::File {
            shebang: None,
            attrs: Vec::new(),
            items,
        };
        let page = rooms.entry(room).or_default();
        let path = match file.module.as_str() {
            "" => "atgpu".to_owned(),
            module => format!("atgpu::{module}"),
        };
        *page += &format!("// {path}\n\n{}\n", prettyplease::unparse(&tree));
    }
    assert!(rooms.len() > 20, "only {} rooms were read", rooms.len());
    for (room, page) in rooms {
        insta::assert_snapshot!(room, page);
    }
}

/// Every file that `lib.rs` leads to, parents first.
fn files() -> Vec<File> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    let mut open = vec![(root.join("lib.rs"), String::new(), false)];
    while let Some((path, module, is_hidden)) = open.pop() {
        let text = fs::read_to_string(&path).expect("a module has its file");
        let items = syn::parse_file(&text).expect("the library compiles").items;
        let folder = folder(&path);
        for item in items.iter().rev() {
            if let Item::Mod(child) = item
                && child.content.is_none()
                && !is_for_tests(&child.attrs)
            {
                let name = child.ident.to_string();
                let flat = folder.join(format!("{name}.rs"));
                let path = match flat.exists() {
                    true => flat,
                    false => folder.join(&name).join("mod.rs"),
                };
                let module = match module.as_str() {
                    "" => name,
                    parent => format!("{parent}::{name}"),
                };
                open.push((path, module, is_hidden || is_marked_hidden(&child.attrs)));
            }
        }
        files.push(File {
            module,
            is_hidden,
            items,
        });
    }
    files
}

/// The folder with a file's modules.
fn folder(path: &Path) -> PathBuf {
    match path.ends_with("mod.rs") || path.ends_with("lib.rs") {
        true => path.parent().expect("a file lies in a folder").to_owned(),
        false => path.with_extension(""),
    }
}

fn names(files: &[File]) -> Names {
    let mut names = Names::default();
    for file in files {
        for item in &file.items {
            if let Item::Use(each) = item
                && is_public(&each.vis)
                && !file.is_hidden
            {
                ends(&each.tree, &mut names.exported);
            }
        }
    }
    for file in files {
        for item in &file.items {
            let (name, vis, is_trait) = match item {
                Item::Struct(each) => (&each.ident, &each.vis, false),
                Item::Enum(each) => (&each.ident, &each.vis, false),
                Item::Trait(each) => (&each.ident, &each.vis, true),
                _ => continue,
            };
            let name = name.to_string();
            let is_let_out = !file.is_hidden || names.exported.contains(&name);
            if is_public(vis) && is_let_out {
                names.public.insert(name);
            } else if is_trait {
                names.private_traits.insert(name);
            }
        }
    }
    names
}

/// The names at the ends of `use a::{b, c::d}`.
fn ends(tree: &UseTree, found: &mut BTreeSet<String>) {
    match tree {
        UseTree::Path(path) => ends(&path.tree, found),
        UseTree::Group(group) => group.items.iter().for_each(|each| ends(each, found)),
        UseTree::Name(name) => drop(found.insert(name.ident.to_string())),
        UseTree::Rename(rename) => drop(found.insert(rename.ident.to_string())),
        UseTree::Glob(_) => {}
    }
}

/// The item as users see it, without bodies, comments and private parts; nothing if they do not.
fn listed(item: &Item, file: &File, names: &Names) -> Option<Item> {
    let is_let_out = |vis: &Visibility, attributes: &[Attribute], name: &syn::Ident| {
        let is_named = !file.is_hidden || names.exported.contains(&name.to_string());
        is_public(vis) && is_named && !is_marked_hidden(attributes) && !is_for_tests(attributes)
    };
    let mut item = item.clone();
    let is_listed = match &mut item {
        Item::Struct(each) => {
            keep_what_binds(&mut each.attrs);
            keep_public_fields(&mut each.fields);
            is_let_out(&each.vis, &each.attrs, &each.ident)
        }
        Item::Enum(each) => {
            keep_what_binds(&mut each.attrs);
            for variant in &mut each.variants {
                keep_what_binds(&mut variant.attrs);
                for field in &mut variant.fields {
                    keep_what_binds(&mut field.attrs);
                }
            }
            is_let_out(&each.vis, &each.attrs, &each.ident)
        }
        Item::Fn(each) => {
            keep_what_binds(&mut each.attrs);
            *each.block = parse_quote!({});
            is_let_out(&each.vis, &each.attrs, &each.sig.ident)
        }
        Item::Const(each) => {
            keep_what_binds(&mut each.attrs);
            *each.expr = parse_quote!(_);
            is_let_out(&each.vis, &each.attrs, &each.ident)
        }
        Item::Static(each) => {
            keep_what_binds(&mut each.attrs);
            *each.expr = parse_quote!(_);
            is_let_out(&each.vis, &each.attrs, &each.ident)
        }
        Item::Type(each) => {
            keep_what_binds(&mut each.attrs);
            is_let_out(&each.vis, &each.attrs, &each.ident)
        }
        Item::Trait(each) => {
            keep_what_binds(&mut each.attrs);
            for item in &mut each.items {
                if let TraitItem::Fn(method) = item {
                    keep_what_binds(&mut method.attrs);
                    method.default = method.default.as_ref().map(|_| parse_quote!({}));
                }
            }
            is_let_out(&each.vis, &each.attrs, &each.ident)
        }
        Item::Impl(each) => keep_public_items(each, names),
        Item::Use(each) => {
            keep_what_binds(&mut each.attrs);
            is_public(&each.vis) && !file.is_hidden && !is_marked_hidden(&each.attrs)
        }
        // A macro that makes types, and the types it makes.
        Item::Macro(each) => {
            keep_what_binds(&mut each.attrs);
            let is_definition = each.ident.is_some();
            let makes_types = each.mac.tokens.to_string().contains("pub struct");
            !file.is_hidden && (!is_definition || makes_types)
        }
        _ => false,
    };
    is_listed.then_some(item)
}

/// Keeps the methods and constants of a type that users can name; of a trait's implementation, the fact alone.
fn keep_public_items(each: &mut ItemImpl, names: &Names) -> bool {
    if is_for_tests(&each.attrs) || !names.public.contains(&last_name(&each.self_ty)) {
        return false;
    }
    keep_what_binds(&mut each.attrs);
    if let Some((_, of, _)) = &each.trait_ {
        let name = of.segments.last().map(|last| last.ident.to_string());
        each.items.clear();
        return !names.private_traits.contains(&name.unwrap_or_default());
    }
    each.items.retain(|item| match item {
        ImplItem::Fn(each) => is_public(&each.vis) && !is_marked_hidden(&each.attrs),
        ImplItem::Const(each) => is_public(&each.vis) && !is_marked_hidden(&each.attrs),
        _ => false,
    });
    for item in &mut each.items {
        match item {
            ImplItem::Fn(each) => {
                keep_what_binds(&mut each.attrs);
                each.block = parse_quote!({});
            }
            ImplItem::Const(each) => {
                keep_what_binds(&mut each.attrs);
                each.expr = parse_quote!(_);
            }
            _ => {}
        }
    }
    !each.items.is_empty()
}

/// The name of a type without its path and its parameters.
fn last_name(of: &Type) -> String {
    match of {
        Type::Path(path) => path
            .path
            .segments
            .last()
            .map_or_else(String::new, |last| last.ident.to_string()),
        Type::Reference(reference) => last_name(&reference.elem),
        _ => String::new(),
    }
}

/// Drops fields that users cannot see; one named `_private` then says that there are some.
fn keep_public_fields(fields: &mut Fields) {
    match fields {
        Fields::Named(named) => {
            let all = named.named.len();
            let kept = std::mem::take(&mut named.named).into_iter();
            let kept = kept.filter(|field| is_public(&field.vis));
            named.named = kept.collect();
            if named.named.len() < all {
                named.named.push(parse_quote!(_private: _));
            }
        }
        Fields::Unnamed(unnamed) => {
            for field in &mut unnamed.unnamed {
                if !is_public(&field.vis) {
                    field.ty = parse_quote!(_);
                    field.vis = Visibility::Inherited;
                }
            }
        }
        Fields::Unit => {}
    }
    for field in fields.iter_mut() {
        keep_what_binds(&mut field.attrs);
    }
}

/// Keeps the attributes that users feel: derived traits, and what they may not leave out.
fn keep_what_binds(attributes: &mut Vec<Attribute>) {
    attributes.retain(|each| {
        let path = each.path();
        let names = ["derive", "non_exhaustive", "must_use", "cfg"];
        names.iter().any(|name| path.is_ident(name)) || is_marked_hidden(std::slice::from_ref(each))
    });
}

fn is_public(vis: &Visibility) -> bool {
    matches!(vis, Visibility::Public(_))
}

fn is_marked_hidden(attributes: &[Attribute]) -> bool {
    said(attributes, "doc").any(|tokens| tokens == "hidden")
}

fn is_for_tests(attributes: &[Attribute]) -> bool {
    said(attributes, "cfg").any(|tokens| tokens == "test")
}

/// The text inside the brackets of each attribute of a name.
fn said<'a>(attributes: &'a [Attribute], name: &'a str) -> impl Iterator<Item = String> + 'a {
    let named = attributes
        .iter()
        .filter(move |each| each.path().is_ident(name));
    named.filter_map(|each| match &each.meta {
        Meta::List(list) => Some(list.tokens.to_string()),
        Meta::Path(_) | Meta::NameValue(_) => None,
    })
}
