//! The words once more in the forms of Vim, Kate and Emacs, and the queries of tree-sitter under the
//! names that Helix has for them.

use super::textmate;
use super::words::Words;

/// Where the words stand in `editors/emacs/atgpu-mode.el`.
const MADE: &str = ";; Made by tests/suite/editors from the language's grammar; do not edit.\n";
const MADE_END: &str = ";; End of what is made.\n";

fn keywords(words: &Words) -> Vec<String> {
    [&words.header[..], &words.control].concat()
}

/// `editors/vim/syntax/atgpu.vim`.
pub fn vim(words: &Words, quantities: &[&str]) -> String {
    let list =
        |group: &str, words: &[String]| format!("syntax keyword {group} {}\n", words.join(" "));
    let lists = [
        list("atgpuKeyword", &keywords(words)),
        list("atgpuWord", &words.operators),
        list("atgpuFunction", &words.functions),
        list("atgpuType", &words.types),
    ];
    format!(
        "\" Made by tests/suite/editors from the language's grammar; do not edit.\n\
         if exists(\"b:current_syntax\")\n  finish\nendif\n\
         scriptencoding utf-8\n\
         syntax iskeyword @,48-57,_,'\n\
         {}\
         syntax match atgpuQuantity \"\\%(\\<claim\\s\\+\\)\\@<=\\%({}\\)\\>\"\n\
         syntax match atgpuType \"\\%(\\<as\\s\\+\\)\\@<=\\%({}\\)\\>\"\n\
         syntax match atgpuShared \"\\<_\\k\\+\"\n\
         syntax match atgpuHost \"\\<\\u\\k*\"\n\
         syntax match atgpuName \"\\%(\\<\\%(algorithm\\|kernel\\|execute\\)\\s\\+\\)\\@<=\\k\\+\"\n\
         syntax match atgpuNumber \"\\<\\d\\+\\%(_\\d\\+\\)*\\%(\\.\\d\\+\\)\\?\\%(e[-−+]\\?\\d\\+\\)\\?\\>\"\n\
         syntax match atgpuAccess \"⇐\\|↔\\|<->\\|<=\"\n\
         syntax match atgpuMove \"←\\|<-\"\n\
         syntax match atgpuTransfer \"⇚\\|<==\"\n\
         syntax match atgpuLabel \"^\\s*\\d\\+\\s*:\"\n\
         syntax match atgpuComment \"\\%(▷\\|//\\).*$\" contains=@Spell\n\
         highlight default link atgpuKeyword Keyword\n\
         highlight default link atgpuWord Operator\n\
         highlight default link atgpuFunction Function\n\
         highlight default link atgpuType Type\n\
         highlight default link atgpuName Title\n\
         highlight default link atgpuQuantity Constant\n\
         highlight default link atgpuShared Identifier\n\
         highlight default link atgpuHost PreProc\n\
         highlight default link atgpuNumber Number\n\
         highlight default link atgpuTransfer PreProc\n\
         highlight default link atgpuAccess Statement\n\
         highlight default link atgpuMove Identifier\n\
         highlight default link atgpuLabel Label\n\
         highlight default link atgpuComment Comment\n\
         let b:current_syntax = \"atgpu\"\n",
        lists.concat(),
        quantities.join("\\|"),
        words.properties.join("\\|"),
    )
}

/// `editors/kate/atgpu.xml`.
pub fn kate(words: &Words, quantities: &[&str]) -> String {
    let list = |name: &str, words: &[String]| {
        let items = words
            .iter()
            .map(|word| format!("      <item>{word}</item>\n"));
        format!(
            "    <list name=\"{name}\">\n{}    </list>\n",
            items.collect::<String>()
        )
    };
    let quantities: Vec<String> = quantities.iter().map(|&word| word.to_owned()).collect();
    let lists = [
        list("keywords", &keywords(words)),
        list("words", &words.operators),
        list("functions", &words.functions),
        list("types", &[&words.types[..], &words.properties].concat()),
        list("quantities", &quantities),
    ];
    format!(
        r###"<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE language>
<!-- Made by tests/suite/editors from the language's grammar; do not edit. -->
<language name="ATGPU" section="Sources" version="1" kateversion="5.0" extensions="*.atgpu" license="MIT">
  <highlighting>
{}    <contexts>
      <context name="Normal" attribute="Text" lineEndContext="#stay">
        <RegExpr attribute="Comment" context="Comment" String="▷|//" lookAhead="true"/>
        <RegExpr attribute="Label" context="#stay" String="\s*[0-9]+\s*:" column="0"/>
        <RegExpr attribute="Keyword" context="Name" String="\b(algorithm|kernel|execute)\b"/>
        <RegExpr attribute="Keyword" context="Claim" String="\bclaim\b"/>
        <RegExpr attribute="Arrow" context="#stay" String="⇚|⇐|←|↔|&lt;==|&lt;-&gt;|&lt;=|&lt;-"/>
        <keyword attribute="Keyword" context="#stay" String="keywords"/>
        <keyword attribute="Word" context="#stay" String="words"/>
        <keyword attribute="Function" context="#stay" String="functions"/>
        <keyword attribute="Type" context="#stay" String="types"/>
        <RegExpr attribute="Shared" context="#stay" String="\b_[\w'′]+"/>
        <RegExpr attribute="Host" context="#stay" String="\b[A-Z][\w'′]*"/>
        <RegExpr attribute="Number" context="#stay" String="\b[0-9]+(_[0-9]+)*(\.[0-9]+)?(e[-−+]?[0-9]+)?\b"/>
      </context>
      <context name="Name" attribute="Text" lineEndContext="#pop" fallthroughContext="#pop">
        <DetectSpaces/>
        <RegExpr attribute="Name" context="#pop" String="[\w'′]+"/>
      </context>
      <context name="Claim" attribute="Text" lineEndContext="#pop" fallthroughContext="#pop">
        <DetectSpaces/>
        <keyword attribute="Quantity" context="#pop" String="quantities"/>
      </context>
      <context name="Comment" attribute="Comment" lineEndContext="#pop">
        <DetectSpaces/>
        <IncludeRules context="##Comments"/>
      </context>
    </contexts>
    <itemDatas>
      <itemData name="Text" defStyleNum="dsNormal"/>
      <itemData name="Keyword" defStyleNum="dsKeyword"/>
      <itemData name="Word" defStyleNum="dsOperator"/>
      <itemData name="Function" defStyleNum="dsBuiltIn"/>
      <itemData name="Type" defStyleNum="dsDataType"/>
      <itemData name="Name" defStyleNum="dsFunction"/>
      <itemData name="Quantity" defStyleNum="dsConstant"/>
      <itemData name="Shared" defStyleNum="dsVariable"/>
      <itemData name="Host" defStyleNum="dsImport"/>
      <itemData name="Number" defStyleNum="dsDecVal"/>
      <itemData name="Arrow" defStyleNum="dsControlFlow"/>
      <itemData name="Label" defStyleNum="dsAnnotation"/>
      <itemData name="Comment" defStyleNum="dsComment"/>
    </itemDatas>
  </highlighting>
  <general>
    <comments><comment name="singleLine" start="▷"/></comments>
    <keywords casesensitive="1" additionalDeliminator="⇚⇐←↔" weakDeliminator=""/>
  </general>
</language>
"###,
        lists.concat(),
    )
}

/// `editors/emacs/atgpu-mode.el` with the words that it should have.
pub fn emacs(mode: &str, words: &Words, quantities: &[&str]) -> String {
    let list = |name: &str, about: &str, words: &[String]| {
        let words: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
        let mut lines = vec![String::new()];
        for word in words {
            let line = lines.last_mut().expect("one at least");
            if line.len() + word.len() > 90 {
                lines.push(word);
            } else {
                line.push_str(if line.is_empty() { "" } else { " " });
                line.push_str(&word);
            }
        }
        format!(
            "(defconst atgpu-{name}\n  '({})\n  \"{about}\")\n",
            lines.join("\n    ")
        )
    };
    let quantities: Vec<String> = quantities.iter().map(|&word| word.to_owned()).collect();
    let made = [
        list(
            "keywords",
            "Words that lines begin with or are held together by.",
            &keywords(words),
        ),
        list("operators", "Operators that are words.", &words.operators),
        list("functions", "Functions.", &words.functions),
        list("types", "Types of words of memory.", &words.types),
        list("properties", "Properties of inputs.", &words.properties),
        list("quantities", "What claims speak of.", &quantities),
    ];
    let (before, rest) = mode.split_once(MADE).expect("where the words begin");
    let (_, after) = rest.split_once(MADE_END).expect("where they end");
    format!("{before}{MADE}{}{MADE_END}{after}", made.concat())
}

/// `editors/helix/queries/atgpu/highlights.scm`: Helix goes by other names, and by the first query
/// that fits where others go by the last.
pub fn helix(words: &Words) -> String {
    let made = textmate::highlights(words);
    let names = [
        ("@number", "@constant.numeric"),
        ("@arrow", "@operator"),
        ("@variable.member", "@variable.other.member"),
        ("(identifier) @variable\n", ""),
    ];
    let made = names
        .iter()
        .fold(made, |made, (from, to)| made.replace(from, to));
    format!("{made}\n(identifier) @variable\n")
}
