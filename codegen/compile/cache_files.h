// Files of the artefact cache: private directories, whole-file reads and atomic writes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "codegen/core/status.h"

namespace tw {

// Creates `directory` and its missing parents (0700). PermissionDenied unless it is a real
// directory of this user that nobody else can write to.
Status MakePrivateDirectory(const std::filesystem::path& directory);

// Nothing where there is no such regular file, or it is larger than 256 MiB. Never follows a
// symbolic link.
std::optional<std::string> ReadWholeFile(const std::filesystem::path& file);

enum class Durability { kRenameOnly, kSynced };

// Replaces `file` (0600) in an existing directory. ResourceExhausted: the disk is full.
Status WriteFileAtomically(const std::filesystem::path& file,
                           std::string_view bytes,
                           Durability durability);

// Removes temporary files that a killed writer left behind over an hour ago.
void RemoveStaleTemporaries(const std::filesystem::path& directory);

}  // namespace tw
