//! The calls of a screen that wrappers pass on unchanged.

/// Defines the calls that change nothing and that no wrapper writes or checks. The wrapped screen is
/// the field `inner`.
macro_rules! queries_passed_on {
    () => {
        fn get_name(&self) -> &str {
            self.inner.get_name()
        }

        fn get_vendor(&self) -> &str {
            self.inner.get_vendor()
        }

        fn get_device_vendor(&self) -> &str {
            self.inner.get_device_vendor()
        }

        fn resource_template(
            &self,
            resource: $crate::ResourceHandle,
        ) -> Result<$crate::ResourceTemplate, $crate::PipeError> {
            self.inner.resource_template(resource)
        }

        #[cfg(feature = "desktop")]
        fn get_driver_query_info(&self) -> &[$crate::DriverQueryInfo] {
            self.inner.get_driver_query_info()
        }

        #[cfg(feature = "desktop")]
        fn get_driver_query_group_info(&self) -> &[$crate::DriverQueryGroupInfo] {
            self.inner.get_driver_query_group_info()
        }

        #[cfg(feature = "desktop")]
        fn is_compute_copy_faster(
            &self,
            from: formats::Format,
            to: formats::Format,
            size: [u32; 3],
            cpu: bool,
        ) -> bool {
            self.inner.is_compute_copy_faster(from, to, size, cpu)
        }

        #[cfg(feature = "desktop")]
        fn get_sparse_texture_virtual_page_size(
            &self,
            target: $crate::TextureTarget,
            multi_sample: bool,
            format: formats::Format,
        ) -> Option<[u32; 3]> {
            self.inner.get_sparse_texture_virtual_page_size(target, multi_sample, format)
        }

        #[cfg(feature = "desktop")]
        fn get_sample_pixel_grid(&self, sample_count: u8) -> [u32; 2] {
            self.inner.get_sample_pixel_grid(sample_count)
        }

        #[cfg(feature = "desktop")]
        fn is_dmabuf_modifier_supported(
            &self,
            modifier: u64,
            format: formats::Format,
        ) -> Option<bool> {
            self.inner.is_dmabuf_modifier_supported(modifier, format)
        }

        #[cfg(feature = "diagnostics")]
        fn query_memory_info(&self) -> Option<$crate::diagnostics::MemoryInfo> {
            self.inner.query_memory_info()
        }

        #[cfg(feature = "diagnostics")]
        fn get_device_uuid(&self) -> [u8; 16] {
            self.inner.get_device_uuid()
        }

        #[cfg(feature = "diagnostics")]
        fn get_driver_uuid(&self) -> [u8; 16] {
            self.inner.get_driver_uuid()
        }
    };
}
pub(in crate::wrap) use queries_passed_on;

/// Defines the queries of caps and formats, for wrappers that do not write them.
macro_rules! caps_passed_on {
    () => {
        fn get_paramf(&self, cap: $crate::CapF) -> f32 {
            self.inner.get_paramf(cap)
        }

        fn get_shader_param(&self, stage: $crate::ShaderType, cap: $crate::ShaderCap) -> i32 {
            self.inner.get_shader_param(stage, cap)
        }

        fn get_compute_param(&self, cap: $crate::ComputeCap) -> [u64; 3] {
            self.inner.get_compute_param(cap)
        }

        fn is_format_supported(
            &self,
            format: formats::Format,
            target: $crate::TextureTarget,
            sample_count: u8,
            storage_sample_count: u8,
            bind: $crate::Bind,
        ) -> bool {
            self.inner.is_format_supported(format, target, sample_count, storage_sample_count, bind)
        }

        fn get_timestamp(&self) -> u64 {
            self.inner.get_timestamp()
        }
    };
}
pub(in crate::wrap) use caps_passed_on;
