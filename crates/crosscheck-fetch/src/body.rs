//! Reads and decodes a body without trusting its size.

use std::io::Read;

use http_body_util::BodyExt as _;
use hyper::body::{Body as _, Incoming};

use super::problem::Problem;
use super::settings::Limits;

/// More layers than this are an attack, not a page.
const MAX_LAYERS: usize = 3;
/// Memory limit for a size that a server only announces.
const ANNOUNCED_MAX: usize = 256 * 1024;
/// What RFC 9659 allows for zstd on the web.
const ZSTD_WINDOW_MAX: u64 = 8 * 1024 * 1024;

/// A body, or the first part of one.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Body {
    pub(super) bytes: Vec<u8>,
    pub(super) truncated: bool,
}

/// Reads encoded bytes up to the limit; an error in the middle of a body is a
/// fetch error.
pub(super) async fn read(mut incoming: Incoming, limits: &Limits) -> Result<Body, hyper::Error> {
    let announced = usize::try_from(incoming.size_hint().lower()).unwrap_or(usize::MAX);
    let mut bytes = Vec::with_capacity(announced.min(limits.body).min(ANNOUNCED_MAX));
    while let Some(frame) = incoming.frame().await {
        let Ok(data) = frame?.into_data() else {
            continue; // trailers
        };
        let room = limits.body - bytes.len();
        if data.len() > room {
            bytes.extend(data.iter().take(room));
            return Ok(Body {
                bytes,
                truncated: true,
            });
        }
        bytes.extend_from_slice(&data);
    }
    Ok(Body {
        bytes,
        truncated: false,
    })
}

/// Decodes the content encodings, within the limits on size and ratio.
pub(super) fn decode(body: Body, encodings: &str, limits: &Limits) -> Result<Body, Problem> {
    let layers: Vec<String> = encodings
        .split(',')
        .map(|name| name.trim().to_ascii_lowercase())
        .filter(|name| !name.is_empty() && name != "identity")
        .collect();
    if layers.len() > MAX_LAYERS {
        return Err(Problem::Undecodable);
    }
    let most = limits
        .body
        .min(body.bytes.len().saturating_mul(limits.ratio));
    let mut body = body;
    for layer in layers.iter().rev() {
        if body.bytes.is_empty() {
            break;
        }
        body = unpack(&body, layer, most)?;
    }
    Ok(body)
}

fn unpack(body: &Body, encoding: &str, most: usize) -> Result<Body, Problem> {
    let packed = body.bytes.as_slice();
    let unpacked = match encoding {
        "gzip" | "x-gzip" => take(flate2::read::MultiGzDecoder::new(packed), most),
        "deflate" => {
            // Some servers send the raw stream without its zlib header.
            let framed = take(flate2::read::ZlibDecoder::new(packed), most);
            if framed.bytes.is_empty() {
                take(flate2::read::DeflateDecoder::new(packed), most)
            } else {
                framed
            }
        }
        "br" => take(brotli_decompressor::Decompressor::new(packed, 4096), most),
        "zstd" => {
            let decoder = ruzstd::decoding::StreamingDecoder::new_with_max_window_size(
                packed,
                ZSTD_WINDOW_MAX,
            );
            take(decoder.map_err(|_| Problem::Undecodable)?, most)
        }
        _ => return Err(Problem::Undecodable),
    };
    if unpacked.bytes.is_empty() && unpacked.truncated {
        return Err(Problem::Undecodable);
    }
    Ok(Body {
        truncated: unpacked.truncated || body.truncated,
        ..unpacked
    })
}

/// The decoded bytes, up to `most`; broken input ends the body early.
fn take(mut decoder: impl Read, most: usize) -> Body {
    let mut bytes = Vec::new();
    let mut piece = vec![0_u8; 16 * 1024];
    loop {
        let Ok(count) = decoder.read(&mut piece) else {
            return Body {
                bytes,
                truncated: true,
            };
        };
        let room = most - bytes.len();
        bytes.extend(piece.iter().take(count.min(room)));
        if count > room {
            return Body {
                bytes,
                truncated: true,
            };
        }
        if count == 0 {
            return Body {
                bytes,
                truncated: false,
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn whole(bytes: Vec<u8>) -> Body {
        Body {
            bytes,
            truncated: false,
        }
    }

    #[test]
    fn a_gzip_body_is_unpacked() {
        let page = b"<p>Shaded streets were cooler.</p>".to_vec();
        assert_eq!(
            decode(whole(gzip(&page)), "gzip", &Limits::default()),
            Ok(whole(page))
        );
    }

    #[test]
    fn layers_are_undone_in_reverse_order() {
        let page: Vec<u8> = (0_u32..2000)
            .flat_map(|n| n.to_string().into_bytes())
            .collect();
        assert_eq!(
            decode(whole(gzip(&gzip(&page))), "gzip, gzip", &Limits::default()),
            Ok(whole(page))
        );
        assert_eq!(
            decode(whole(gzip(b"x")), "gzip,gzip,gzip,gzip", &Limits::default()),
            Err(Problem::Undecodable)
        );
    }

    #[test]
    fn a_bomb_stops_at_the_ratio_and_at_the_size() {
        let packed = gzip(&vec![b'a'; 40 * 1024 * 1024]);
        let allowed = packed.len() * 100;
        let body = decode(whole(packed), "gzip", &Limits::default()).unwrap();
        assert!(body.truncated);
        assert_eq!(body.bytes.len(), allowed.min(5 * 1024 * 1024));
    }

    #[test]
    fn a_body_cut_in_the_middle_gives_its_first_part() {
        let page: Vec<u8> = (0_u32..200_000)
            .flat_map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes())
            .collect();
        let mut packed = gzip(&page);
        packed.truncate(packed.len() / 2);
        let body = decode(whole(packed), "gzip", &Limits::default()).unwrap();
        assert!(body.truncated && !body.bytes.is_empty() && page.starts_with(&body.bytes));
    }

    #[test]
    fn a_body_that_cannot_be_decoded_is_reported() {
        for encoding in ["gzip", "br", "zstd", "deflate", "compress"] {
            let garbage = whole(vec![0xff; 300]);
            assert_eq!(
                decode(garbage, encoding, &Limits::default()),
                Err(Problem::Undecodable),
                "{encoding}"
            );
        }
    }
}
